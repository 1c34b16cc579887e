"""Makes up the sessions of several sources, as they would be sent: with repeats, rivals, mistakes.

The same seed makes the same lines. No two sessions are alike but those that are meant to be: with
one source a person sits in one session a day, and at every table is somebody whom only that source
knows.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final, Literal

import orjson

Claim = dict[str, Any]
Kind = Literal[
    "new", "again", "retry", "rival", "played twice", "half known", "key reused", "wrong"
]

FIRST_DAY: Final = date(2012, 1, 1)
BOB: Final = "bob@mahjic.org"
TRAVELERS: Final = 60
NICKNAMES: Final = 40
# What may be repeated is no older than this many sessions of its source.
KNOWN_MAX: Final = 50
PRESENT_SHARE: Final = 0.7
PRIVATE_EVERY: Final = 33


@dataclass(frozen=True, slots=True)
class Source:
    """Who sends: its share of all sessions, and how many sessions there are to each member."""

    slug: str
    kind: str
    share: float
    sessions_per_member: int
    members_min: int
    game_types: tuple[str, ...]


SOURCES: Final = (
    Source("a-platform", "platform", 0.7, 50, 40, ("social", "social", "league", "tournament")),
    Source("a-league", "league", 0.2, 100, 24, ("league",)),
    Source("a-club", "club", 0.07, 140, 16, ("social", "social", "league")),
    Source("another-club", "club", 0.03, 120, 16, ("social",)),
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A line of a source's file: what it is, and the claim that it makes if it can be read."""

    source: str
    kind: Kind
    line: bytes
    claim: Claim
    # Somebody voids or corrects it later; nothing else is ever said of it again.
    is_to_change: bool = False


def sessions(count: int, seed: int, *, changes: int) -> Iterator[Sent]:
    """Yield the lines that put so many sessions on record, and those that come to nothing.

    So many of the sessions are to be changed, spread evenly.
    """
    chances = random.Random(seed)
    seasons = {source.slug: _Season(source, count, chances) for source in SOURCES}
    slugs, shares = [source.slug for source in SOURCES], [source.share for source in SOURCES]
    made = changed = 0
    while made < count:
        season = seasons[chances.choices(slugs, shares)[0]]
        claim = next(season.claims)
        if changed < changes and made * changes >= changed * count:
            changed, made = changed + 1, made + 1
            yield season.sent("new", claim, is_to_change=True)
            continue
        for sent in _first(season, claim, seasons, chances):
            made += sent.kind in {"new", "played twice"}
            yield sent
            if made == count:
                return


def games_of(claim: Claim, source: str) -> Iterator[tuple[str, int]]:
    """Yield each seat's person, as people are told apart, and the games; Bob has none."""
    for played in claim["rounds"]:
        for player in played["players"]:
            who = player["email"].removeprefix("PRIVATE:")
            if who != BOB:
                is_nickname = who.startswith("ANON:")
                name = f"{source}/{who.removeprefix('ANON:').lower()}" if is_nickname else who
                yield name, player["games_played"]


def with_another_game(claim: Claim) -> Claim:
    """Return a claim that is like another one, but for one more wall game in every round."""
    return {**claim, "rounds": [_with_another_game(played) for played in claim["rounds"]]}


def _first(
    season: "_Season", claim: Claim, seasons: dict[str, "_Season"], chances: random.Random
) -> Iterator[Sent]:
    """Yield a session that nobody heard of before, and perhaps something that follows it."""
    chance = chances.random()
    if chance < 0.005 and not _names_anybody_of_one_source(claim):
        other = chances.choice([each for each in seasons.values() if each is not season])
        yield season.sent("new", claim)
        yield other.sent("rival", claim)
        return
    if chances.random() < 0.1:
        for number, played in enumerate(claim["rounds"], start=1):
            played["ref"] = f"{season.number}/{number}"
    if chances.random() < 0.1:
        claim["idempotency_key"] = f"{season.source.slug}-{season.number}"
    yield season.sent("new", claim)
    season.known.append(claim)
    for share, follow in _FOLLOWING:
        if chances.random() < share:
            yield from follow(season, chances)


@dataclass(slots=True)
class _Season:
    """What a source has sent so far, and what it will send next."""

    source: Source
    count: int
    chances: random.Random
    number: int = 0
    known: deque[Claim] = field(default_factory=lambda: deque(maxlen=KNOWN_MAX))
    claims: Iterator[Claim] = field(init=False)

    def __post_init__(self) -> None:
        self.claims = self._days()

    def sent(self, kind: Kind, claim: Claim, *, is_to_change: bool = False) -> Sent:
        return Sent(self.source.slug, kind, orjson.dumps(claim), claim, is_to_change)

    def _days(self) -> Iterator[Claim]:
        source, chances = self.source, self.chances
        size = max(source.members_min, int(self.count * source.share / source.sessions_per_member))
        members = [_address(source.slug, number) for number in range(size)]
        day = FIRST_DAY
        while True:
            present = chances.sample(members, int(size * PRESENT_SHARE))
            guests = [f"traveler{number}@example.com" for number in range(TRAVELERS)]
            guests += [f"ANON:Guest {number}" for number in range(NICKNAMES)]
            chances.shuffle(guests)
            while len(present) >= 4:
                self.number += 1
                yield self._claim(day, present, guests)
            day += timedelta(days=1)

    def _claim(self, day: date, present: list[str], guests: list[str]) -> Claim:
        """Return a session of a few tables, whose people are taken from those present."""
        game_type = self.chances.choice(self.source.game_types)
        rounds = []
        for _ in range(self.chances.choice((1, 1, 1, 2, 2, 3))):
            if len(present) < 4:
                break
            people = self._table(present, guests)
            rounds += [
                _a_round(people, game_type != "social", self.chances)
                for _ in range(self.chances.choice((1, 1, 2)))
            ]
        return {"session_date": day.isoformat(), "game_type": game_type, "rounds": rounds}

    def _table(self, present: list[str], guests: list[str]) -> list[str]:
        size = self.chances.choice((2, 3, 4, 4, 4, 4, 4, 4))
        people = [present.pop() for _ in range(size)]
        if size < 4 and guests and self.chances.random() < 0.7:
            people.append(guests.pop())
        if len(people) < 4 and self.chances.random() < 0.5:
            people.append(BOB)
        self.chances.shuffle(people)
        return people


def _again(season: _Season, chances: random.Random) -> Iterator[Sent]:
    claim = chances.choice(season.known)
    turned = [{**each, "players": each["players"][::-1]} for each in claim["rounds"]]
    unkeyed = {name: value for name, value in claim.items() if name != "idempotency_key"}
    yield season.sent("again", {**unkeyed, "rounds": turned})


def _retry(season: _Season, chances: random.Random) -> Iterator[Sent]:
    for claim in _keyed(season, chances):
        yield season.sent("retry", claim)


def _key_reused(season: _Season, chances: random.Random) -> Iterator[Sent]:
    for claim in _keyed(season, chances):
        yield season.sent("key reused", with_another_game(claim))


def _played_twice(season: _Season, chances: random.Random) -> Iterator[Sent]:
    claim = chances.choice(season.known)
    season.known.remove(claim)
    twice = {**claim, "allow_duplicate": True}
    twice.pop("idempotency_key", None)
    if chances.random() < 0.5:
        twice["idempotency_key"] = f"{season.source.slug}-{season.number}-twice"
    yield season.sent("played twice", twice)


def _half_known(season: _Season, chances: random.Random) -> Iterator[Sent]:
    claim = chances.choice(season.known)
    played = claim["rounds"][0]
    other = _with_another_game(played)
    other.pop("ref", None)
    half = {**claim, "rounds": [other, played]}
    half.pop("idempotency_key", None)
    yield season.sent("half known", half)


def _wrong(season: _Season, chances: random.Random) -> Iterator[Sent]:
    claim = chances.choice(season.known)
    first, *others = claim["rounds"]
    unequal = {**first, "wall_games": first["wall_games"] + 1}
    doubled = {**first, "players": [first["players"][0], *first["players"]][:4]}
    wrong: Claim = chances.choice(
        (
            {**claim, "rounds": [unequal, *others]},
            {**claim, "rounds": [doubled, *others]},
            {**claim, "session_date": "2999-01-01"},
            {**claim, "players": []},
            {},
        )
    )
    line = orjson.dumps(wrong) if wrong else b'{"session_date": "2012-01-01", '
    yield Sent(season.source.slug, "wrong", line, wrong)


# How often each follows a session.
_FOLLOWING: Final[tuple[tuple[float, Callable[[_Season, random.Random], Iterator[Sent]]], ...]] = (
    (0.03, _again),
    (0.01, _retry),
    (0.003, _wrong),
    (0.003, _half_known),
    (0.002, _key_reused),
    (0.002, _played_twice),
)


def _keyed(season: _Season, chances: random.Random) -> list[Claim]:
    """Return a known session that was sent with a key, if there is one."""
    keyed = [claim for claim in season.known if "idempotency_key" in claim]
    return [chances.choice(keyed)] if keyed else []


def _names_anybody_of_one_source(claim: Claim) -> bool:
    """Tell whether somebody is anonymous: with another source that is another player."""
    return any(
        player["email"].startswith("ANON:")
        for played in claim["rounds"]
        for player in played["players"]
    )


def _address(slug: str, number: int) -> str:
    shy = "PRIVATE:" if number % PRIVATE_EVERY == 0 else ""
    return f"{shy}member{number}@{slug}.example"


def _a_round(people: list[str], has_points: bool, chances: random.Random) -> Claim:
    games = chances.randint(1, 8)
    # The last place is that of the wall.
    won = [0] * (len(people) + 1)
    for _ in range(games):
        won[int(chances.random() * len(won))] += 1
    players: list[Claim] = [
        {"email": person, "games_played": games, "mahjongs": mahjongs}
        for person, mahjongs in zip(people, won, strict=False)
    ]
    if has_points:
        quarters = [chances.randint(-800, 800) for _ in people[1:]]
        for player, quarter in zip(players, [-sum(quarters), *quarters], strict=True):
            player["points"] = quarter / 4
    return {"players": players, "wall_games": won[-1]}


def _with_another_game(played: Claim) -> Claim:
    players = [{**each, "games_played": each["games_played"] + 1} for each in played["players"]]
    return {**played, "players": players, "wall_games": played["wall_games"] + 1}
