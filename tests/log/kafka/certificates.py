"""Makes an authority, and certificates that it has signed, with openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files of one authority, of a broker and of a client."""

    authority: Path
    broker_store: Path
    client: Path
    client_key: Path


def make_certificates(folder: Path) -> Certificates:
    """Make an authority, and what it signs for a broker on this machine and for a client."""
    authority, authority_key = folder / "ca.pem", folder / "ca.key"
    _openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=authority"),
        *("-keyout", authority_key, "-out", authority),
    )
    for name in ("broker", "client"):
        key, certificate = folder / f"{name}.key", folder / f"{name}.pem"
        _openssl(
            *("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2"),
            *("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
            *("-CA", authority, "-CAkey", authority_key, "-keyout", key, "-out", certificate),
        )
    # Java takes a store of both; what it trusts stands in it as text.
    store = folder / "broker-store.pem"
    store.write_text((folder / "broker.key").read_text() + (folder / "broker.pem").read_text())
    return Certificates(authority, store, folder / "client.pem", folder / "client.key")


def _openssl(*arguments: str | Path) -> None:
    done = subprocess.run(
        ["openssl", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
