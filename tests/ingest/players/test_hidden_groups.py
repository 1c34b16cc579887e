"""Whatever is merged, hidden and forgotten, in any order: whoever is hidden is shown nowhere."""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from tests.conftest import Database
from tests.ingest.changes.asking import ask, caught_up, player_ids
from tests.ingest.changes.linking.merges import Links, survivor
from tests.ingest.claims import a_round, a_session
from tests.log.chances import seeded_chance
from tests.service import RunningService, bearer, running_service

NAMES = ("ada", "bo", "cy", "dee", "eve", "flo")
STEPS = 8


@dataclass
class Town:
    """Six people at a service, and what was said of them: who is private, forgotten, whose."""

    service: RunningService
    operator: str
    ids: dict[str, str]
    links: Links = field(default_factory=dict)
    unseen: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)

    def members(self, player_id: str) -> set[str]:
        """Return the ids that are one person's."""
        end = survivor(player_id, self.links)
        return {each for each in self.ids.values() if survivor(each, self.links) == end}

    def is_hidden(self, player_id: str) -> bool:
        """Tell whether the public must not see a player, as himself or as another."""
        return not self.members(player_id).isdisjoint(self.unseen | self.forgotten)

    async def change(self, chance: random.Random) -> None:
        """Let the operator do something that can be done."""
        who, whom = chance.sample(sorted(self.ids.values()), 2)
        what = chance.choice(("merge", "merge", "unmerge", "hide", "show", "forget"))
        path = f"/v1/admin/players/{who}"
        if what == "merge":
            answer = await ask(self.service, f"{path}/merge", {"into": whom}, self.operator)
            if answer.status_code == 201:
                self.links[who] = whom
        elif what == "unmerge":
            answer = await ask(self.service, f"{path}/unmerge", {}, self.operator)
            if answer.status_code == 201:
                del self.links[who]
        elif what == "forget":
            if len(self.forgotten) < 2:
                await self.service.client.delete(
                    f"{path}/personal-data", headers=bearer(self.operator)
                )
                self.forgotten |= self.members(who)
        else:
            answer = await self.service.client.put(
                f"{path}/privacy",
                json={"privacy": "private" if what == "hide" else "normal"},
                headers=bearer(self.operator),
            )
            if answer.status_code == 200:
                said = self.unseen.union if what == "hide" else self.unseen.difference
                self.unseen = said(self.members(who))

    async def check(self) -> None:
        """Ask for every public page about everybody."""
        hidden = {each for each in self.ids.values() if self.is_hidden(each)}
        gone = hidden | self.links.keys()
        for page in (
            "/v1/leaderboard?min_games=0",
            "/v1/sources/a-club/leaderboard?min_games=0",
            "/v1/sources",
        ):
            text = (await self.service.client.get(page)).text
            assert not [each for each in gone if each in text], page
        for who in self.ids.values():
            found = (await self.service.client.get(f"/v1/players/search?q={who}")).json()
            assert [each["player_id"] for each in found["players"]] == [who] * (who not in gone)
            await self._check_pages_of(who, hidden)

    async def _check_pages_of(self, who: str, hidden: set[str]) -> None:
        last = await self.service.pool.fetchval("SELECT fact_seq FROM mahjic.head")
        changes = [f"{who}.{seq}{part}" for seq in range(1, last + 1) for part in ("", ".1")]
        pages = ["", "/history", *(f"/changes/{each}" for each in changes)]
        for page in pages:
            answer = await self.service.client.get(f"/v1/players/{who}{page}")
            if who in hidden:
                assert answer.status_code == 404, page
                assert answer.json()["code"] == "unknown_player", page
            elif who in self.links:
                assert answer.status_code == 308, page
                end = survivor(who, self.links)
                assert answer.headers["Location"] == f"/v1/players/{end}{page}"
            else:
                assert answer.status_code in ({200, 404} if "/changes" in page else {200}), page
            assert not [each for each in hidden - {who} if each in answer.text], page


@pytest.fixture
async def town(database: Database) -> AsyncIterator[Town]:
    """Return a town in which everybody is Verified, played alone against a crowd, and is public."""
    async with running_service(database) as service:
        key, operator = await service.source_key(), await service.operator_key()
        for night, name in enumerate(NAMES, start=1):
            claim = a_session(a_round({name: 3, "gus": 1}), on=f"2026-01-{night:02}")
            await service.submit(claim, key)
        ids = await player_ids(service)
        for player_id in ids.values():
            await service.client.put(
                f"/v1/admin/players/{player_id}/verification",
                json={"verified": True},
                headers=bearer(operator),
            )
        await service.submit(a_session(a_round(ada=2, gus=1), on="2026-01-20"), key)
        del ids["gus"]
        yield Town(service, operator, ids)


async def test_whoever_is_hidden_is_shown_nowhere_through_merges_of_any_kind(town: Town) -> None:
    chance = seeded_chance()
    for _ in range(STEPS):
        for _ in range(3):
            await town.change(chance)
        await caught_up(town.service)
        await town.check()
