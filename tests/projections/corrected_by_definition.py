"""What profiles, boards and sources must hold after facts, by full replays and plain counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from shared.events.facts import (
    FactEvent,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from tests.replay_by_hand.history import BOB, Facts, Sessions, merges, survivor
from tests.replay_by_hand.replay import Answer, Standing

ProfileRow = tuple[Standing, bool, int, int, int, date | None]
BoardRow = tuple[int, int, date | None]
SourceRow = tuple[int, int, int, int, int, date | None]


@dataclass(frozen=True)
class Expected:
    """The rows of each view: of players by id, of boards by board and player, of sources by slug.

    A player counts sessions, mahjongs and wall games; a source sessions, rounds, games, public
    players and voided sessions.
    """

    profiles: dict[str, ProfileRow]
    boards: dict[tuple[str, str], BoardRow]
    sources: dict[str, SourceRow]

    def profile(self, player: str) -> ProfileRow:
        """Return the row of a player, also of one who has done nothing yet."""
        return self.profiles.get(player, (Standing(), False, 0, 0, 0, None))


def expected_after(facts: Facts, standings: dict[str, Standing], public: set[str]) -> Expected:
    """Return what the views must hold after facts that count, for these public players."""
    links, sessions = merges(facts), Sessions(facts)
    live = sessions.live()
    attended: dict[str, list[SessionSubmitted]] = {each: [] for each in standings}
    for session in live:
        for player in {survivor(links, each) for each in seated(session)}:
            attended[player].append(session)
    flags = verified_flags(facts)
    verified = {survivor(links, each) for each in flags}
    profiles = {
        player: (
            standing,
            player in verified,
            len(attended[player]),
            sum(mahjongs_of(player, links, each) for each in attended[player]),
            sum(wall_games_of(player, links, each) for each in attended[player]),
            last_date(attended[player]),
        )
        for player, standing in standings.items()
        if player != BOB
    }
    visible = {each for each in public if each not in links}
    boards = {
        (board, player): (standing.verified_rating_centi, standing.verified_games, last)
        for player, (standing, is_verified, _, _, _, last) in profiles.items()
        if is_verified and player in visible
        for board in ["global", *(f"source:{each.source}" for each in attended[player])]
    }
    voided = [sessions.of[each] for each in sessions.voided - sessions.corrected]
    sources = {
        slug: source_row(slug, live, voided, attended, visible)
        for slug in {each.source for each in sessions.of.values()}
    }
    return Expected(profiles, boards, sources)


def source_row(
    slug: str,
    live: Sequence[SessionSubmitted],
    voided: Sequence[SessionSubmitted],
    attended: dict[str, list[SessionSubmitted]],
    visible: set[str],
) -> SourceRow:
    mine = [each for each in live if each.source == slug]
    guests = {who for who, those in attended.items() if any(each.source == slug for each in those)}
    return (
        len(mine),
        sum(len(each.rounds) for each in mine),
        sum(played.games_played for each in mine for played in each.rounds),
        len(guests & visible),
        sum(1 for each in voided if each.source == slug),
        last_date(mine),
    )


def counted(facts: Sequence[FactEvent], answers: Sequence[Answer]) -> Iterator[Facts]:
    """Yield after each fact those so far that count."""
    so_far: list[tuple[int, FactEvent]] = []
    for seq, (fact, answer) in enumerate(zip(facts, answers, strict=True), start=1):
        if answer.refused is None:
            so_far.append((seq, fact))
        yield list(so_far)


def verified_flags(facts: Facts) -> set[str]:
    flags: set[str] = set()
    for _, fact in facts:
        if isinstance(fact, PlayerVerified):
            flags.add(fact.player_id)
        elif isinstance(fact, PlayerVerificationEnded):
            flags.discard(fact.player_id)
    return flags


def mahjongs_of(player: str, links: dict[str, str], session: SessionSubmitted) -> int:
    return sum(
        mahjongs
        for played in session.rounds
        for each, mahjongs in zip(played.players, played.mahjongs, strict=True)
        if survivor(links, each) == player
    )


def wall_games_of(player: str, links: dict[str, str], session: SessionSubmitted) -> int:
    return sum(
        played.wall_games
        for played in session.rounds
        if player in {survivor(links, each) for each in played.players}
    )


def seated(session: SessionSubmitted) -> set[str]:
    return {player for played in session.rounds for player in played.players} - {BOB}


def last_date(sessions: Sequence[SessionSubmitted]) -> date | None:
    return max((date.fromisoformat(each.session_date) for each in sessions), default=None)
