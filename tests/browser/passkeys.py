"""Devices that keep passkeys and recognize their owner, as browsers have them for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import CDPSession, Page

AUTHENTICATOR: Final = {
    "protocol": "ctap2",
    "ctap2Version": "ctap2_1",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass
class PasskeyDevice:
    """The device of one page."""

    session: CDPSession
    authenticator_id: str

    async def kept(self) -> list[dict[str, Any]]:
        """Return the passkeys on it."""
        kept = await self.session.send("WebAuthn.getCredentials", self._named())
        return list(kept["credentials"])

    async def take(self, passkey: dict[str, Any]) -> None:
        """Put a passkey on it, as devices of one owner share them."""
        await self.session.send("WebAuthn.addCredential", {**self._named(), "credential": passkey})

    def _named(self) -> dict[str, Any]:
        return {"authenticatorId": self.authenticator_id}


@asynccontextmanager
async def a_device_with_passkeys(page: Page) -> AsyncIterator[PasskeyDevice]:
    """Give a page a device that keeps passkeys and recognizes its owner."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    yield PasskeyDevice(session, made["authenticatorId"])
