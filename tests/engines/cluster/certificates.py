"""Certificates for tests of encrypted connections."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

import pytest


def make_certificates(folder: Path) -> dict[str, str]:
    """Write an authority, a certificate for 127.0.0.1 and its key, valid for a day; return the files by setting."""
    x509 = pytest.importorskip("cryptography.x509", reason="cryptography is not installed")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = datetime.datetime.now(datetime.UTC)

    def make(name, issuer=None):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        signer_name, signer = (issuer[0].subject, issuer[1]) if issuer else (subject, key)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(signer_name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        )
        if issuer:
            address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        return builder.sign(signer, hashes.SHA256()), key

    authority = make("authority")
    certificate, key = make("node", authority)
    files = {name: folder / f"{name}.pem" for name in ("tls-ca", "tls-cert", "tls-key")}
    files["tls-ca"].write_bytes(authority[0].public_bytes(serialization.Encoding.PEM))
    files["tls-cert"].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files["tls-key"].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return {name: str(path) for name, path in files.items()}
