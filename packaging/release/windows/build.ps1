# Builds dist\swgui and starts it. See README.md in this folder; not run by its author.
param(
    [string]$Python = "py -3.12",
    [string[]]$Extra = @()
)
$ErrorActionPreference = "Stop"
Set-StrictMode -Version Latest
Set-Location (Resolve-Path "$PSScriptRoot\..\..\..")

function Invoke-Checked([string]$Program, [string[]]$Arguments) {
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Program $Arguments ended with $LASTEXITCODE" }
}

$environment = "build\bundle-env"
if (Test-Path $environment) { Remove-Item -Recurse -Force $environment }
$words = $Python.Split(" ")
Invoke-Checked $words[0] (@($words | Select-Object -Skip 1) + @("-m", "venv", $environment))
$python = "$environment\Scripts\python.exe"
$extras = @("window") + $Extra
Invoke-Checked $python @("-m", "pip", "install", "--no-input", "--quiet", ".[$($extras -join ',')]", "pyinstaller>=6.11")
Invoke-Checked $python @("-m", "PyInstaller", "--noconfirm", "--log-level=WARN", "packaging\release\swgui.spec")

# Both programs, with nothing of this environment.
$env:PATH = "$env:SystemRoot\System32;$env:SystemRoot"
$env:PYTHONPATH = ""
Invoke-Checked "dist\swgui\swgui.exe" @("--version")
Invoke-Checked "dist\swgui\swgui.exe" @("doctor")
$env:SWGUI_QUIT_AFTER = "2"
$window = Start-Process -FilePath "dist\swgui\swgui-window.exe" -PassThru -Wait
if ($window.ExitCode -ne 0) { throw "swgui-window.exe ended with $($window.ExitCode)" }
Write-Output "dist\swgui is built and starts."
