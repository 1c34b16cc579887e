"""What a typed night says, what is missing in it, and where people sit next: without any page."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.desk.night.claiming import claim_of
from services.site.desk.night.missing import Missing, accounted_words, read_day, what_is_missing
from services.site.desk.night.numbers import NoNumber, read_count, read_games, read_points
from services.site.desk.night.roster import BOB, Listed, Roster
from services.site.desk.night.seated import AtTable, Unknown, WhoSits, settle
from services.site.desk.night.typed import (
    TypedGuest,
    TypedNight,
    TypedSeat,
    TypedTable,
    as_document,
    from_document,
    read_night_form,
)

DAY = "2026-01-31"
TODAY = date(2026, 2, 1)
PEOPLE = [
    Listed("Alice B.", "alice@example.com", "MJ-1"),
    Listed("Bob", "bob@example.com", "MJ-2"),
    Listed("Carol", "carol@example.com", "MJ-3"),
    Listed("Carola Mae", "PRIVATE:carola@example.com", "MJ-4"),
    Listed("Zoë", "ANON:Zoë", "AN-5"),
    Listed("Dan Bell", "dan@example.com", "MJ-6"),
]
ROSTER = Roster(PEOPLE)


def table(
    *seats: tuple[str, str, str], games: str = "4", wall: str = "", at: int = 1
) -> TypedTable:
    typed = [TypedSeat(*each) for each in seats]
    return TypedTable(at, games, wall, (*typed, *[TypedSeat()] * (4 - len(typed))))


def night(
    *tables: TypedTable, kind: str = "social", day: str = DAY, **more: TypedGuest
) -> TypedNight:
    return TypedNight(day, kind, tables or (TypedTable(),), tuple(more.values()))


def missing_in(typed: TypedNight, *, is_asked: bool = True) -> list[Missing]:
    seated = WhoSits(typed, ROSTER)
    return list(what_is_missing(typed, seated, today_latest=TODAY, is_asked=is_asked))


FULL = table(
    ("Alice B.", "2", ""), ("Bob", "1", ""), ("Carol", "", ""), ("Dan Bell", "", ""), wall="1"
)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("", None),
        ("125", 125),
        ("+80", 80),
        ("12.5", 12.5),
        ("12.50", 12.5),
        ("-50", -50),
        ("\u221250", -50),
        ("\u201350", -50),
        ("(50)", -50),
        ("- 50", -50),
        ("1,250", 1250),
        ("-1,250.25", -1250.25),
        ("0", 0),
        (".5", 0.5),
    ],
)
def test_points_are_read_as_clubs_write_them(text: str, points: float | None) -> None:
    assert read_points(text) == points


@pytest.mark.parametrize("text", ["x", "12,5", "1.234", "--5", "5-", "1e3", "9999999", "½", "٣"])
def test_what_is_no_number_is_not_guessed(text: str) -> None:
    with pytest.raises(NoNumber):
        read_points(text)


@pytest.mark.parametrize("text", ["1.5", "-1", "201", "two"])
def test_counts_are_whole_and_within_reach(text: str) -> None:
    with pytest.raises(NoNumber):
        read_count(text)
    with pytest.raises(NoNumber):
        read_games("0")
    assert (read_count("200"), read_count(""), read_games("8")) == (200, None, 8)


@given(st.integers(-100_000_000, 100_000_000))
def test_every_way_to_write_points_is_the_same_number(centi: int) -> None:
    plain = f"{abs(centi) // 100}.{abs(centi) % 100:02}"
    grouped = f"{abs(centi) // 100:,}.{abs(centi) % 100:02}"
    ways = (
        [f"+{plain}", grouped]
        if centi >= 0
        else [f"-{plain}", f"\u2212{grouped}", f"({plain})", f"\u2013{plain}"]
    )
    for way in ways:
        read = read_points(way)
        assert read is not None
        assert round(read * 100) == centi


@pytest.mark.parametrize(
    ("typed", "who"),
    [
        ("Alice B.", "MJ-1"),
        ("alice", "MJ-1"),
        ("A", "MJ-1"),
        ("b", "MJ-2"),
        ("bob", "MJ-2"),
        ("Bell", "MJ-6"),
        ("Carol", "MJ-3"),
        ("carola", "MJ-4"),
        ("zoe", "AN-5"),
        ("Bob, the", "BOB"),
        ("ALICE  B.", "MJ-1"),
    ],
)
def test_people_are_found_by_their_beginning(typed: str, who: str) -> None:
    found = ROSTER.find(typed).one
    assert found is not None
    assert found.player_id == who


def test_what_fits_several_is_asked_about_and_what_fits_nobody_is_new() -> None:
    assert [each.player_id for each in ROSTER.find("Car").people] == ["MJ-3", "MJ-4"]
    assert ROSTER.find("Frank").how == "nobody"
    assert ROSTER.find("").how == "nobody"
    # People are called Bob: a new one is asked about, and not taken for the imaginary player.
    assert Roster([]).find("Bob").how == "nobody"
    assert Roster([]).find("bob,").one == BOB
    typed = night(table(("Car", "4", ""), ("Frank", "", "")))
    assert [(each.place, each.words) for each in missing_in(typed)] == [
        ("who-0-0", "Several people match “Car”: Carol, Carola Mae. Type more of the name."),
        ("who-0-1", "“Frank” is not on your list. Say below who that is, or fix the name."),
    ]


@pytest.mark.parametrize(
    ("games", "accounted", "words"),
    [
        (6, 6, ""),
        (6, 5, "5 of 6 games are accounted for: who won the last one? "),
        (6, 3, "3 of 6 games are accounted for: who won the other 3? "),
        (6, 0, "Who won the 6 games? "),
        (1, 0, "Who won the game? "),
        (6, 7, "7 games are accounted for, but only 6 were played. "),
        (1, 2, "2 games are accounted for, but only 1 was played. "),
    ],
)
def test_games_that_are_not_accounted_for_are_told(games: int, accounted: int, words: str) -> None:
    told = accounted_words(games, accounted)
    assert told.startswith(words)
    assert bool(told) == bool(words)


@pytest.mark.parametrize(
    ("typed", "places"),
    [
        (night(FULL), []),
        (night(FULL, day=""), ["date"]),
        (night(FULL, day="2026-02-30"), ["date"]),
        (night(FULL, day="20260131"), ["date"]),
        (night(FULL, day="0026-01-31"), ["date"]),
        (night(FULL, day="2026-02-02"), ["date"]),
        (night(FULL, kind=""), ["kind", *[f"points-0-{each}" for each in range(4)]]),
        (night(), ["who-0-0", "sum-0"]),
        (night(table(("Alice", "4", ""))), ["who-0-1"]),
        (night(table(("Alice", "4", ""), ("alice@example.com", "", ""))), ["who-0-1"]),
        (night(table(("Alice", "3", ""), ("Bob", "", ""))), ["sum-0"]),
        (night(table(("Alice", "3", ""), ("Bob", "", ""), games="")), ["games-0"]),
        (night(table(("Alice", "x", ""), ("Bob", "", ""))), ["won-0-0"]),
        (night(table(("Alice", "4", ""), ("Bob", "", ""), ("", "1", ""))), ["who-0-2", "sum-0"]),
        (night(table(("Alice", "4", "5"), ("Bob", "", "")), kind="league"), ["points-0-1"]),
        (night(table(("Alice", "4", "5"), ("Bob", "", "x")), kind="league"), ["points-0-1"]),
        (night(FULL, table(("Alice", "", ""), ("Bob", "", ""))), ["sum-1"]),
        (night(FULL, TypedTable()), []),
        (night(table(("not@", "4", ""), ("Bob", "", ""))), ["who-0-0"]),
        (
            night(table(("Eve", "4", ""), ("Bob", "", "")), e=TypedGuest("Eve", "address")),
            ["who-0-0"],
        ),
        (night(table(("Eve", "4", ""), ("Bob", "", "")), e=TypedGuest("eve", "anonymous")), []),
        (
            night(
                table(("Eve", "4", ""), ("Bob", "", "")),
                e=TypedGuest("Eve", "", "eve@example.com"),
            ),
            [],
        ),
        (
            night(
                table(("Eve", "4", ""), ("Bob", "", "")),
                e=TypedGuest("Eve", "private", "eve@example.com"),
            ),
            [],
        ),
    ],
    ids=str,
)
def test_what_is_missing_is_told_at_its_place(typed: TypedNight, places: list[str]) -> None:
    assert [each.place for each in missing_in(typed)] == places
    assert all(each.words for each in missing_in(typed))


def test_tables_without_results_are_left_in_peace_until_somebody_asks() -> None:
    begun = night(FULL, table(("Alice", "", ""), ("Bob", "", ""), at=2))
    assert missing_in(begun, is_asked=False) == []
    assert [each.place for each in missing_in(begun)] == ["sum-1"]
    assert missing_in(night(), is_asked=False) == []


def test_a_complete_night_becomes_the_claim_that_a_program_would_send() -> None:
    typed = night(
        table(
            ("Alice", "2", "12.5"),
            ("Eve", "1", "\u221250"),
            ("Zo", "", "0"),
            ("Mo", "", "37.50"),
            wall="1",
        ),
        TypedTable(2),
        kind="league",
        eve=TypedGuest("Eve", "private", "EVE@example.com"),
        mo=TypedGuest("Mo", "anonymous"),
    )
    assert missing_in(typed) == []
    assert claim_of(typed, WhoSits(typed, ROSTER)) == {
        "session_date": DAY,
        "game_type": "league",
        "rounds": [
            {
                "players": [
                    {
                        "email": "alice@example.com",
                        "games_played": 4,
                        "mahjongs": 2,
                        "points": 12.5,
                    },
                    {
                        "email": "PRIVATE:eve@example.com",
                        "name": "Eve",
                        "games_played": 4,
                        "mahjongs": 1,
                        "points": -50,
                    },
                    {"email": "ANON:Zoë", "games_played": 4, "mahjongs": 0, "points": 0},
                    {"email": "ANON:Mo", "games_played": 4, "mahjongs": 0, "points": 37.5},
                ],
                "wall_games": 1,
            }
        ],
    }


def test_beginnings_become_names_and_new_names_become_guests() -> None:
    typed = settle(
        night(table(("a", "", ""), ("Frank", "", ""), ("f", "", ""), ("x@y.com", "", ""))), ROSTER
    )
    assert [seat.who for seat in typed.tables[0].seats] == ["Alice B.", "Frank", "f", "x@y.com"]
    assert [each.name for each in typed.guests] == ["Frank", "f"]
    # Whoever is no longer named is gone.
    again = settle(night(FULL, frank=TypedGuest("Frank", "anonymous")), ROSTER)
    assert again.guests == ()


def test_an_address_is_a_person_and_bob_is_nobody() -> None:
    seated = WhoSits(night(), ROSTER)
    person = seated.who("PRIVATE: Eve@Example.com")
    assert isinstance(person, AtTable)
    assert person.sent.startswith("PRIVATE:")
    bob = seated.who("bob@mahjic.org")
    assert isinstance(bob, AtTable)
    assert bob.key == "BOB"
    assert isinstance(seated.who("a@"), Unknown)


TEXTS = st.text(max_size=12).map(lambda text: " ".join(text.split()))


@given(
    st.builds(
        TypedNight,
        TEXTS,
        st.sampled_from(["", "league", "social", "tournament"]),
        st.lists(
            st.builds(
                TypedTable,
                st.integers(1, 9),
                TEXTS,
                TEXTS,
                st.lists(st.builds(TypedSeat, TEXTS, TEXTS, TEXTS), min_size=4, max_size=4).map(
                    tuple
                ),
            ),
            min_size=1,
            max_size=4,
        ).map(tuple),
    )
)
def test_whatever_is_typed_is_kept_and_never_a_fault(typed: TypedNight) -> None:
    assert from_document(as_document(typed)) == typed
    assert read_day(typed.day) is None or len(typed.day) == 10
    settled = settle(typed, ROSTER)
    assert settle(settled, ROSTER) == settled
    found = missing_in(settled)
    if not found:
        claim_of(settled, WhoSits(settled, ROSTER))
    fields = {"date": typed.day, "kind": typed.kind}
    for number, each in enumerate(typed.tables):
        fields |= {f"games-{number}": each.games, f"wall-{number}": each.wall}
        fields[f"sitting-{number}"] = str(each.sitting)
        for place, seat in enumerate(each.seats):
            fields[f"who-{number}-{place}"] = seat.who
            fields[f"won-{number}-{place}"] = seat.won
            fields[f"points-{number}-{place}"] = seat.points
    assert read_night_form(fields) == typed
    assert read_day(DAY) == date(2026, 1, 31)
