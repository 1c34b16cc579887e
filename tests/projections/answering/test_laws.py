"""Laws of the pure parts: counts and fingerprints of boards, and cursors."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.leaderboards.boards import BoardRow, deltas_of

standings = st.builds(
    BoardRow,
    player_id=st.sampled_from([f"MJ-{n}" for n in range(6)]),
    board=st.sampled_from(["global", "region:west"]),
    rating_centi=st.integers(-300, 300) | st.integers(-(10**12), 10**12),
    verified_games=st.integers(0, 20),
    last_session_date=st.none() | st.dates(date(2020, 1, 1), date(2030, 1, 1)),
)
Row = tuple[str, str]


@given(st.lists(st.lists(standings, max_size=6), max_size=8), st.data())
def test_deltas_add_up_to_what_counting_everything_again_gives(
    batches: list[list[BoardRow]], data: st.DataObject
) -> None:
    rows: dict[Row, BoardRow] = {}
    counts: Counter[tuple[str, int]] = Counter()
    members: Counter[str] = Counter()
    prints: Counter[str] = Counter()
    for batch in batches:
        wanted = {(each.player_id, each.board): each for each in batch}
        gone = data.draw(st.sets(st.sampled_from(sorted(rows)))) if rows else set()
        held = [rows[key] for key in {*wanted, *gone} if key in rows]
        deltas = deltas_of(held, wanted.values())
        for key in gone - set(wanted):
            del rows[key]
        rows |= wanted
        counts.update(deltas.members_at)
        members.update(deltas.members)
        prints.update(deltas.fingerprint)
    ranked = [each for each in rows.values() if each.verified_games >= 10]
    # Where the last member has left, nothing but zero may be left behind.
    expected = Counter(
        (each.board, (each.rating_centi - each.rating_centi % 100) // 100) for each in ranked
    )
    assert {key: n for key, n in counts.items() if n} == dict(expected)
    assert {key: n for key, n in members.items() if n} == Counter(e.board for e in rows.values())
    again = deltas_of([], rows.values())
    assert {key: n for key, n in prints.items() if n} == again.fingerprint


@given(standings, standings)
def test_a_row_that_differs_in_anything_shown_has_another_fingerprint(
    one: BoardRow, other: BoardRow
) -> None:
    def shown(row: BoardRow) -> tuple[object, ...]:
        return row.player_id, row.rating_centi, row.verified_games, row.last_session_date

    assert (one.fingerprint == other.fingerprint) == (shown(one) == shown(other))


@given(st.lists(st.none() | st.text() | st.integers(-(2**63) + 1, 2**63 - 1), max_size=6))
def test_a_cursor_gives_back_what_was_put_in(parts: list[str | int | None]) -> None:
    try:
        cursor = write_cursor(*parts)
    except TypeError:  # Half a surrogate pair is no text that could ever be put in.
        assert any(isinstance(part, str) and not part.isprintable() for part in parts)
        return
    assert read_cursor(cursor, *(type(part) for part in parts)) == parts
    with pytest.raises(WrongCursor):
        read_cursor(cursor, *(type(part) for part in parts), int)


@given(st.text(alphabet="abcdefgzABCDEFGZ0123456789_-", max_size=60))
def test_a_made_up_cursor_is_refused_and_never_a_fault(cursor: str) -> None:
    with pytest.raises(WrongCursor):
        read_cursor(cursor, str, int, int)
