"""A device that keeps passkeys, made of the library of keys alone: it signs what WebAuthn says.

It can do wrong on purpose: forget its owner, answer for another site, or count backward.
"""

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

USER_PRESENT, USER_VERIFIED, HAS_CREDENTIAL = 0x01, 0x04, 0x40


def text_of(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Device:
    """One passkey, and what the device says of itself."""

    origin: str
    credential_id: bytes = b"a credential"
    verifies_owner: bool = True
    sign_count: int = 0
    handle: bytes = b""
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def make(self, options: str) -> dict[str, Any]:
        """Answer `navigator.credentials.create`."""
        asked = json.loads(options)
        self.handle = bytes_of(asked["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        key = {
            1: 2,
            3: -7,
            -1: 1,
            -2: numbers.x.to_bytes(32, "big"),
            -3: numbers.y.to_bytes(32, "big"),
        }
        length = len(self.credential_id).to_bytes(2, "big")
        data = self._data(asked["rp"]["id"], HAS_CREDENTIAL)
        data += bytes(16) + length + self.credential_id + cbor2.dumps(key)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return self._credential(
            {
                "clientDataJSON": text_of(self._client_data("webauthn.create", asked)),
                "attestationObject": text_of(attestation),
            }
        )

    def sign(self, options: str) -> dict[str, Any]:
        """Answer `navigator.credentials.get`."""
        asked = json.loads(options)
        data = self._data(asked["rpId"], 0)
        client_data = self._client_data("webauthn.get", asked)
        signed = data + hashlib.sha256(client_data).digest()
        return self._credential(
            {
                "clientDataJSON": text_of(client_data),
                "authenticatorData": text_of(data),
                "signature": text_of(self.key.sign(signed, ec.ECDSA(SHA256()))),
                "userHandle": text_of(self.handle),
            }
        )

    def _data(self, host: str, flags: int) -> bytes:
        flags |= USER_PRESENT | (USER_VERIFIED if self.verifies_owner else 0)
        return (
            hashlib.sha256(host.encode()).digest()
            + bytes([flags])
            + self.sign_count.to_bytes(4, "big")
        )

    def _client_data(self, kind: str, asked: dict[str, Any]) -> bytes:
        told = {"type": kind, "challenge": asked["challenge"], "origin": self.origin}
        return json.dumps(told).encode()

    def _credential(self, response: dict[str, str]) -> dict[str, Any]:
        named = text_of(self.credential_id)
        return {"id": named, "rawId": named, "type": "public-key", "response": response}
