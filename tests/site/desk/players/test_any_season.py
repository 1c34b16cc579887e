"""Whatever is played, corrected, voided, merged and reseated: standings add up what was told."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tests.ingest.changes.asking import ask, correct, look, void
from tests.ingest.claims import Claim, a_round, a_session
from tests.log.chances import seeded_chance
from tests.service import bearer
from tests.site.desk.conftest import CLUB, OTHER, SCORER, Desks
from tests.site.desk.players.by_definition import Books, shown_lines
from tests.site.desk.players.reading import HEADINGS, standings, standings_on

PEOPLE = ("ann", "ben", "cat", "dan", "eve", "fay", "gus")
# The first of them is private, the last one has no address, and one seat is Bob's at times.
SENT = {
    **{f"{who}@example.com": f"{who}@example.com" for who in PEOPLE},
    "ann@example.com": "PRIVATE:ann@example.com",
    "Nick": "ANON:Nick",
}
NAMES = {who: who if "@" not in who else who.removesuffix("@example.com").title() for who in SENT}
FIRST_DAY = date(2025, 10, 20)
STEPS = 26


def with_names(played: Claim) -> Claim:
    """Return a round in which whoever has an address has a name."""
    for seat in played["players"]:
        if not seat["email"].startswith(("ANON:", "bob@")):
            seat["name"] = NAMES[seat["email"].removeprefix("PRIVATE:")]
    return played


@dataclass
class History:
    """A club whose past changes, and what it must come to."""

    desks: Desks
    operator: str
    chance: random.Random
    books: Books = field(default_factory=Books)
    ids: dict[str, str] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    nights: int = 0

    def a_night(self, on: str) -> Claim:
        """Return a night of one or two rounds, with points or without."""
        game_type = self.chance.choice(("league", "social"))
        rounds = []
        for _ in range(self.chance.randint(1, 2)):
            seats = self.chance.sample(sorted(SENT), self.chance.randint(2, 4))
            won = {SENT[who]: self.chance.randint(0, 3) for who in seats}
            if len(seats) < 4 and self.chance.random() < 0.3:
                won["bob@mahjic.org"] = 1
            points = None
            if game_type == "league":
                points = [self.chance.randint(-9999, 9999) / 100 for _ in won]
            played = a_round(won, wall_games=1 + self.chance.randint(0, 2), points=points)
            rounds.append(with_names(played))
        return a_session(*rounds, on=on, game_type=game_type)

    async def meet(self) -> None:
        """Let everybody play once, so that everybody can be merged and reseated."""
        sent = [SENT[who] for who in sorted(SENT)]
        rounds = [a_round({one: 1, two: 2}) for one, two in zip(sent[::2], sent[1::2], strict=True)]
        claim = a_session(*map(with_names, rounds), on=FIRST_DAY.isoformat())
        answer = await self.desks.town.running.submit(claim, self.desks.town.key)
        assert answer.status_code == 201, answer.text
        self.take_in(answer.json(), claim)

    def take_in(self, told: Mapping[str, Any], claim: Claim) -> None:
        self.books.write(told, claim)
        self.claims[told["session_id"]] = claim

    async def play(self, source_key: str | None = None) -> None:
        self.nights += 1
        claim = self.a_night((FIRST_DAY + timedelta(days=13 * self.nights)).isoformat())
        key = source_key or self.desks.town.key
        answer = await self.desks.town.running.submit(claim, key)
        # Two ids of one person at a table are refused.
        if answer.status_code == 201 and source_key is None:
            self.take_in(answer.json(), claim)

    async def void(self) -> None:
        session_id = self.chance.choice(sorted(self.books.sessions))
        answer = await void(self.desks.town.running, session_id, self.desks.town.key)
        assert answer.status_code == 201, answer.text
        self.books.strike(session_id)

    async def correct(self) -> None:
        session_id = self.chance.choice(sorted(self.books.sessions))
        claim = self.a_night(self.claims[session_id]["session_date"])
        claim["reason"] = "wrong_result"
        service, key = self.desks.town.running, self.desks.town.key
        answer = await correct(service, session_id, claim, key)
        if answer.status_code == 201:
            self.books.strike(session_id)
            self.take_in(await look(service, answer.json()["session_id"], key), claim)

    async def merge(self) -> None:
        who, whom = self.chance.sample([each for each in SENT if "@" in each], 2)
        if who in self.books.links:
            path = f"/v1/admin/players/{await self.id_of(who)}/unmerge"
            answer = await ask(self.desks.town.running, path, {}, self.operator)
            assert answer.status_code == 201, answer.text
            del self.books.links[who]
            return
        path = f"/v1/admin/players/{await self.id_of(who)}/merge"
        into = {"into": await self.id_of(whom)}
        answer = await ask(self.desks.town.running, path, into, self.operator)
        if answer.status_code == 201:
            self.books.links[who] = whom

    async def reseat(self) -> None:
        session_id = self.chance.choice(sorted(self.books.sessions))
        linked = {*self.books.links, *self.books.links.values()}
        free = {each for each in SENT if "@" in each} - linked
        seats = self.books.sessions[session_id][1]
        is_touched = any(seat.change is None for seat in seats)
        there = sorted(self.books.seated(session_id) & free)
        elsewhere = sorted(free - self.books.seated(session_id))
        if is_touched or not there or not elsewhere:
            return
        who, whom = self.chance.choice(there), self.chance.choice(elsewhere)
        path = f"/v1/admin/players/{await self.id_of(who)}/reseat"
        asked: dict[str, Any] = {"sessions": [session_id], "email": whom}
        answer = await ask(self.desks.town.running, path, asked, self.operator)
        assert answer.status_code == 201, answer.text
        self.books.reseat(session_id, who, whom)

    async def id_of(self, who: str) -> str:
        if who not in self.ids:
            query = "SELECT player_id FROM mahjic.people WHERE email = $1"
            self.ids[who] = await self.desks.town.house.pool.fetchval(query, who)
        return self.ids[who]

    async def forget(self, who: str) -> None:
        path = f"/v1/admin/players/{await self.id_of(who)}/personal-data"
        answer = await self.desks.town.running.client.delete(path, headers=bearer(self.operator))
        assert answer.status_code in {200, 204}, answer.text
        group = {each for each in SENT if self.books.read_as(each) == self.books.read_as(who)}
        self.books.forgotten |= group


async def check(history: History) -> None:
    """Compare every way to ask with the books."""
    desks, books = history.desks, history.books
    await desks.town.shown(await desks.town.house.pool.fetchval("SELECT fact_seq FROM mahjic.head"))
    browser = await desks.browser_of(SCORER)
    middle = (FIRST_DAY + timedelta(days=13 * history.nights // 2)).isoformat()
    for first, last in (("", ""), ("2025-12-01", "2026-02-28"), (middle, ""), ("", middle)):
        lines = books.standings(first or "0001-01-01", last or "9999-12-31")
        for by in ("points", "won", "win_rate", "games", "rating_change"):
            query = f"from={first}&to={last}&by={by}"
            page = await browser.page(f"/desk/{CLUB}/standings?{query}")
            found = standings_on(page)
            names = [each for each in HEADINGS if found and each in found[0]]
            # Without any points there is no such column, but where it is asked for.
            assert names == [each for each in HEADINGS if each in names]
            got = {
                (
                    row["Place"],
                    row["Player"],
                    *(row.get(each, "") for each in HEADINGS),
                )
                for row in found
            }
            assert got == shown_lines(lines, by, NAMES), query
            places = [int(row["Place"]) for row in found if row["Place"]]
            assert places == sorted(places), query
            count = books.count(first or "0001-01-01", last or "9999-12-31")
            assert f"{count} session" in page.main.text


async def test_whatever_happens_the_standings_are_what_the_club_was_told(desks: Desks) -> None:
    chance = seeded_chance()
    history = History(desks, await desks.town.running.operator_key(), chance)
    other_key = await desks.town.running.source_key(OTHER)
    await history.meet()
    acts = [history.play] * 5 + [history.correct, history.void, history.merge, history.reseat]
    for _ in range(STEPS):
        await history.play() if len(history.books.sessions) < 3 else await chance.choice(acts)()
        if chance.random() < 0.2:
            await history.play(other_key)
    await check(history)
    await history.forget(chance.choice([each for each in SENT if "@" in each]))
    await check(history)
    assert await standings(await desks.browser_of(SCORER), "from=2024-01-01&to=2024-12-31") == []
