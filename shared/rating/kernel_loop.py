"""The loop of the kernel: docs/rating.md over columns, one round after the other.

It is plain Python that numba can compile, so both ways are one text. It sees columns by index and
whole numbers only: numpy arrays when compiled, memoryviews of the same memory when not.
"""

from typing import Any, Final, NamedTuple, TypeAlias

Column: TypeAlias = Any  # An array of numpy, or a memoryview of it.

WIN_NANO: Final = 1_000_000_000
TIE_NANO: Final = 500_000_000
NANO_PER_CENTI: Final = 10_000_000

RATING: Final = 0  # The columns of the standings of a player.
GAMES: Final = 1
VERIFIED_RATING: Final = 2
VERIFIED_GAMES: Final = 3


class RoundColumns(NamedTuple):
    """One row a round, as in kernel.Rounds."""

    players: Column
    mahjongs: Column
    points_centi: Column
    games_played: Column
    seats: Column
    points_count: Column


class SessionColumns(NamedTuple):
    """One row a session, as in kernel.Sessions."""

    place: Column
    round_from: Column
    round_to: Column


class EventColumns(NamedTuple):
    """One row an event, as in kernel.Events."""

    place: Column
    player: Column
    is_verified: Column


class StandingColumns(NamedTuple):
    """One row a player, as in kernel.Standings."""

    numbers: Column
    is_verified: Column
    verified_members: Column


class RuleColumns(NamedTuple):
    """A formula: its table of expected scores, its bands of K, and how points count."""

    expected_nano: Column
    k_games_min: Column
    k: Column
    bonus_nano_per_centi: int
    bonus_max_nano: int
    is_scaled: bool


class RecordColumns(NamedTuple):
    """One row a round that was rated, as in kernel.Record."""

    rating_before: Column
    rating_change: Column
    games_before: Column
    games_after: Column
    is_verified: Column
    verified_rating_before: Column
    verified_rating_change: Column
    verified_games_before: Column
    verified_games_after: Column


class Table(NamedTuple):
    """The people at the table of one round in one pool: a place a seat, written anew each time."""

    seat: Column
    rating_centi: Column
    games: Column
    mahjongs: Column
    points_centi: Column
    k: Column
    change: Column


def replay(  # noqa: PLR0917 -- Compiled code knows no keywords.
    rounds: RoundColumns,
    sessions: SessionColumns,
    session_from: int,
    session_to: int,
    events: EventColumns,
    event_from: int,
    survivor: Column,
    standings: StandingColumns,
    rules: RuleColumns,
    is_recorded: bool,
    record: RecordColumns,
    root: Column,
    table: Table,
) -> int:
    """Rate the sessions in their order, and return the first event that was not yet in force."""
    event = event_from
    row = 0
    for session in range(session_from, session_to):
        event = apply_events(events, event, sessions.place[session], survivor, standings)
        for played in range(sessions.round_from[session], sessions.round_to[session]):
            seats = rounds.seats[played]
            for seat in range(seats):
                root[seat] = survivor[rounds.players[played, seat]]
            if is_recorded:
                record_before(row, seats, root, standings, record)
            rate_everybody(played, seats, rounds, root, standings, table, rules)
            rate_verified(played, seats, rounds, root, standings, table, rules)
            if is_recorded:
                record_after(row, seats, root, standings, record)
            row += 1
    return event


def rate_everybody(  # noqa: PLR0917
    played: int,
    seats: int,
    rounds: RoundColumns,
    root: Column,
    standings: StandingColumns,
    table: Table,
    rules: RuleColumns,
) -> None:
    """Move everybody at the table but Bob in the mahjic pool."""
    for seat in range(seats):
        table.rating_centi[seat] = standings.numbers[root[seat], RATING]
        table.games[seat] = standings.numbers[root[seat], GAMES]
        table.mahjongs[seat] = rounds.mahjongs[played, seat]
        table.points_centi[seat] = rounds.points_centi[played, seat]
    rate_table(seats, table, rounds.points_count[played], rules)
    for seat in range(seats):
        if root[seat] != 0:
            standings.numbers[root[seat], RATING] += table.change[seat]
            standings.numbers[root[seat], GAMES] += rounds.games_played[played]


def rate_verified(  # noqa: PLR0917
    played: int,
    seats: int,
    rounds: RoundColumns,
    root: Column,
    standings: StandingColumns,
    table: Table,
    rules: RuleColumns,
) -> None:
    """Move the Verified at the table in their pool, if there are at least two."""
    seated = 0
    for seat in range(seats):
        if is_verified(root[seat], standings):
            table.seat[seated] = seat
            table.rating_centi[seated] = standings.numbers[root[seat], VERIFIED_RATING]
            table.games[seated] = standings.numbers[root[seat], VERIFIED_GAMES]
            table.mahjongs[seated] = rounds.mahjongs[played, seat]
            table.points_centi[seated] = rounds.points_centi[played, seat]
            seated += 1
    if seated < 2:
        return
    rate_table(seated, table, rounds.points_count[played], rules)
    for place in range(seated):
        mover = root[table.seat[place]]
        standings.numbers[mover, VERIFIED_RATING] += table.change[place]
        standings.numbers[mover, VERIFIED_GAMES] += rounds.games_played[played]


def is_verified(player: int, standings: StandingColumns) -> bool:
    """Tell whether any id that plays as this one is Verified; Bob never is."""
    return player != 0 and standings.verified_members[player] > 0


def apply_events(
    events: EventColumns, event_from: int, place: int, survivor: Column, standings: StandingColumns
) -> int:
    """Let the events before a place act, and return the first one that stands later."""
    event = event_from
    while event < len(events.place) and events.place[event] < place:
        player = events.player[event]
        standings.verified_members[survivor[player]] += int(events.is_verified[event]) - int(
            standings.is_verified[player]
        )
        standings.is_verified[player] = events.is_verified[event]
        event += 1
    return event


def rate_table(seated: int, table: Table, points_count: bool, rules: RuleColumns) -> None:
    """Write each seat's change in centi, everybody compared with everybody else once.

    What one of a pair expects, scores and is given for points, the other lacks.
    """
    for place in range(seated):
        table.change[place] = 0
        table.k[place] = k_factor(table.games[place], rules)
    for one in range(seated - 1):
        for other in range(one + 1, seated):
            surprise_nano = score_nano(table.mahjongs[one] - table.mahjongs[other]) - expected_nano(
                table.rating_centi[one] - table.rating_centi[other], rules
            )
            bonus_nano = 0
            if points_count:
                bonus_nano = clamped(
                    (table.points_centi[one] - table.points_centi[other])
                    * rules.bonus_nano_per_centi,
                    rules.bonus_max_nano,
                )
            table.change[one] += table.k[one] * surprise_nano + bonus_nano
            table.change[other] -= table.k[other] * surprise_nano + bonus_nano
    for place in range(seated):
        if rules.is_scaled:
            table.change[place] = divided(table.change[place], NANO_PER_CENTI * (seated - 1))
        else:
            table.change[place] = divided(table.change[place], NANO_PER_CENTI)


def k_factor(games: int, rules: RuleColumns) -> int:
    """Return the K of the last band that begins at or below so many games."""
    k: int = rules.k[0]
    for band in range(1, len(rules.k)):
        if games >= rules.k_games_min[band]:
            k = rules.k[band]
    return k


def score_nano(mahjongs_ahead: int) -> int:
    """Return one win for the higher win rate, half for an equal one, nothing for the lower."""
    if mahjongs_ahead > 0:
        return WIN_NANO
    return TIE_NANO if mahjongs_ahead == 0 else 0


def expected_nano(difference_centi: int, rules: RuleColumns) -> int:
    """Return the expected score from the table, whose last entry is a sure win."""
    certain_centi = len(rules.expected_nano) - 1
    if difference_centi < 0:
        return WIN_NANO - int(rules.expected_nano[min(-difference_centi, certain_centi)])
    return int(rules.expected_nano[min(difference_centi, certain_centi)])


def clamped(bonus_nano: int, bonus_max_nano: int) -> int:
    """Return a bonus within its bounds either way."""
    return max(-bonus_max_nano, min(bonus_max_nano, bonus_nano))


def divided(sum_nano: int, divisor: int) -> int:
    """Return the nearest whole quotient; exactly between two, the even one."""
    quotient = sum_nano // divisor
    rest = sum_nano - quotient * divisor
    half = divisor // 2
    if rest > half or (rest == half and quotient % 2 == 1):
        quotient += 1
    return quotient


def record_before(
    row: int, seats: int, root: Column, standings: StandingColumns, record: RecordColumns
) -> None:
    """Keep how everybody stood before the round."""
    for seat in range(seats):
        player = root[seat]
        record.rating_before[row, seat] = standings.numbers[player, RATING]
        record.games_before[row, seat] = standings.numbers[player, GAMES]
        record.is_verified[row, seat] = is_verified(player, standings)
        record.verified_rating_before[row, seat] = standings.numbers[player, VERIFIED_RATING]
        record.verified_games_before[row, seat] = standings.numbers[player, VERIFIED_GAMES]


def record_after(
    row: int, seats: int, root: Column, standings: StandingColumns, record: RecordColumns
) -> None:
    """Keep how far everybody moved in the round."""
    for seat in range(seats):
        player = root[seat]
        record.rating_change[row, seat] = (
            standings.numbers[player, RATING] - record.rating_before[row, seat]
        )
        record.games_after[row, seat] = standings.numbers[player, GAMES]
        record.verified_rating_change[row, seat] = (
            standings.numbers[player, VERIFIED_RATING] - record.verified_rating_before[row, seat]
        )
        record.verified_games_after[row, seat] = standings.numbers[player, VERIFIED_GAMES]


HELPERS: Final = (
    apply_events,
    rate_everybody,
    rate_verified,
    is_verified,
    rate_table,
    k_factor,
    score_nano,
    expected_nano,
    clamped,
    divided,
    record_before,
    record_after,
)
