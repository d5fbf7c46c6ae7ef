"""A certificate of this machine's own, for `--tls`: browsers give camera and microphone to pages that have one."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from referee.errors import BadInputError
from referee.web.private import write_private

#: How long it holds; how long before its end a new one is made. Phones take none that holds longer than 825 days.
_HOLDS, _ANEW = timedelta(days=397), timedelta(days=14)
_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nerts-referee on this machine")])


@dataclass(frozen=True, slots=True)
class Certificate:
    """Where certificate and key lie, and the SHA-256 by which people can tell that it is the one."""

    cert: Path
    key: Path
    fingerprint: str


def certificate_for(names: Iterable[str], folder: Path) -> Certificate:
    """The certificate kept in a folder, made anew where it is none, ends soon, or misses one of these names.

    `names`: plain names and addresses. Raises BadInputError where it cannot be kept.
    """
    cert, key = folder / "cert.pem", folder / "key.pem"
    wanted = {_name(name) for name in names if name}
    known = _kept(cert, key)
    if known is None or _expires_soon(known) or not wanted <= _names_of(known):
        known = _make(wanted, cert, key)
    return Certificate(cert, key, known.fingerprint(hashes.SHA256()).hex(":").upper())


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _kept(cert: Path, key: Path) -> x509.Certificate | None:
    """The certificate that is there, if a server can use it."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
        return x509.load_pem_x509_certificate(cert.read_bytes())
    except (OSError, ValueError):
        return None


def _expires_soon(known: x509.Certificate) -> bool:
    now = datetime.now(UTC)
    return not known.not_valid_before_utc <= now < known.not_valid_after_utc - _ANEW


def _names_of(known: x509.Certificate) -> set[x509.GeneralName]:
    try:
        return set(known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return set()


def _make(names: set[x509.GeneralName], cert: Path, key: Path) -> x509.Certificate:
    secret = ec.generate_private_key(ec.SECP256R1())
    begins = datetime.now(UTC) - timedelta(days=1)  # a phone's clock may be behind
    ordered = sorted(names, key=lambda name: str(name.value))
    made = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + _HOLDS)
        .add_extension(x509.SubjectAlternativeName(ordered), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    told = secret.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    try:
        write_private(key, told)
        write_private(cert, made.public_bytes(encoding))
    except OSError as error:
        raise BadInputError(
            f"the certificate cannot be kept in {cert.parent} ({error.strerror}): make room there, or leave --tls out"
        ) from error
    return made
