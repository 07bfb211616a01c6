; Installer for Windows, made by Inno Setup 6. See README.md in this folder; compiled and run under Wine only.
#ifndef Version
  #error Give the version: iscc /DVersion=VERSION packaging\release\windows\swgui.iss
#endif

[Setup]
AppId={{8C1B8A3E-6C1F-4F6E-9E3B-5A0B8D3C7F52}
AppName=swgui
AppVersion={#Version}
AppPublisher=the swgui developers
DefaultDirName={autopf}\swgui
DefaultGroupName=swgui
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\..\..\LICENSE
OutputDir=..\..\..\dist
OutputBaseFilename=swgui-{#Version}-setup
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
DisableProgramGroupPage=yes
WizardStyle=modern

[Files]
Source: "..\..\..\dist\swgui\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[InstallDelete]
; Libraries of an older version must not stay beside the new ones.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{group}\swgui"; Filename: "{app}\swgui-window.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.swgui"; ValueType: string; ValueData: "swgui.search"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.swdb"; ValueType: string; ValueData: "swgui.database"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\swgui.search"; ValueType: string; ValueData: "Saved sequence search"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\swgui.search\shell\open\command"; ValueType: string; ValueData: """{app}\swgui-window.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\swgui.database"; ValueType: string; ValueData: "Sequence database"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\swgui.database\shell\open\command"; ValueType: string; ValueData: """{app}\swgui-window.exe"" ""%1"""

[Run]
Filename: "{app}\swgui-window.exe"; Description: "Start swgui"; Flags: nowait postinstall skipifsilent
