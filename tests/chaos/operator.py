"""The operator, who meanwhile registers, verifies, hides and forgets players.

Remembers its last word about everybody, to be held against the profiles afterward.
"""

import random
from dataclasses import dataclass, field
from typing import Literal

from tests.chaos.claims import FIRST_LEAVER_DAY, REGULARS, a_claim, an_errand
from tests.chaos.clients import Crowd


@dataclass
class Operator:
    """The operator of a site, one act after the other."""

    crowd: Crowd
    ids: dict[str, str] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    _leavers: int = 0

    async def register_regulars(self) -> None:
        """Put all regulars on record, the first half of them Verified."""
        for place, email in enumerate(REGULARS):
            self.ids[email] = await self.register(email)
            if place < len(REGULARS) // 2:
                await self.verify(self.ids[email], is_verified=True)

    async def act(self, chances: random.Random) -> None:
        """Do one thing about somebody."""
        player_id = self.ids[chances.choice(REGULARS)]
        what = chances.choice(("verify", "verify", "unverify", "hide", "show", "forget"))
        if what in {"verify", "unverify"}:
            await self.verify(player_id, is_verified=what == "verify")
        elif what in {"hide", "show"}:
            await self.set_privacy(player_id, "private" if what == "hide" else "normal")
        else:
            await self.forget_somebody_who_comes_back(chances)

    async def register(self, email: str) -> str:
        """Put somebody on record, and return the id."""
        answer = await self.crowd.operate("POST", "", {"email": email})
        player_id: str = answer["player_id"]
        return player_id

    async def verify(self, player_id: str, *, is_verified: bool) -> None:
        """Begin or end a verification."""
        body = {"verified": is_verified}
        await self.crowd.operate("PUT", f"/{player_id}/verification", body)
        (self.verified.add if is_verified else self.verified.discard)(player_id)

    async def set_privacy(self, player_id: str, privacy: Literal["normal", "private"]) -> None:
        """Hide or show somebody."""
        await self.crowd.operate("PUT", f"/{player_id}/privacy", {"privacy": privacy})
        (self.private.add if privacy == "private" else self.private.discard)(player_id)

    async def forget_somebody_who_comes_back(self, chances: random.Random) -> None:
        """Let a Verified person play and be erased, and play again, which makes a new player.

        The session carries a key: a copy of it that comes late is refused, and names nobody anew.
        """
        number = FIRST_LEAVER_DAY + 2 * self._leavers
        email = f"leaver{self._leavers}@example.com"
        self._leavers += 1
        before = await self.register(email)
        await self.verify(before, is_verified=True)
        people = [email, *chances.sample(REGULARS, 2)]
        errand = an_errand(number, a_claim(number, people, chances), chances)
        errand.headers["Idempotency-Key"] = f"leaver-{number}"
        await self.crowd.send(errand)
        await self.crowd.operate("DELETE", f"/{before}/personal-data")
        errand.is_forgotten = True
        self.verified.discard(before)
        self.forgotten.add(before)
        after = await self.register(email)
        assert after != before
        self.ids[email] = after
        again = an_errand(number + 1, a_claim(number + 1, people, chances), chances)
        await self.crowd.send(again)
