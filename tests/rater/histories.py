"""Random lawful histories for hypothesis: sessions with Bob, verification coming and going."""

from hypothesis import strategies as st

from shared.events.facts import (
    GAME_TYPES,
    FactEvent,
    PlayedRound,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.replay.possible import POINTS_CENTI_MAX
from tests.rater.stories import ADOPTED, a_round, a_session

# Few people, so that they meet again; one of them anonymous.
PEOPLE = ("MJ-ADA", "MJ-BO", "MJ-CLEO", "MJ-DREW", "MJ-EVE")
ANONYMOUS = "AN-NICK"

points_centi = st.integers(-40_000, 40_000) | st.integers(-POINTS_CENTI_MAX, POINTS_CENTI_MAX)


@st.composite
def rounds(draw: st.DrawFn, *, has_points: bool) -> PlayedRound:
    table = draw(st.permutations([*PEOPLE, ANONYMOUS]))[: draw(st.integers(2, 4))]
    if draw(st.booleans()):
        # Bob takes a seat, and at least two people stay.
        place = draw(st.integers(0, len(table) - 1))
        table = [*table[:place], "BOB", *table[place:]][:4]
    # Up to 40 games, so that some histories pass 30 and 100 of them.
    wins = draw(st.lists(st.integers(0, 10), min_size=len(table), max_size=len(table)))
    wall_games = draw(st.integers(0 if any(wins) else 1, 3))
    points = draw(st.lists(points_centi, min_size=len(table), max_size=len(table)))
    return a_round(
        dict(zip(table, wins, strict=True)),
        wall_games=wall_games,
        points_centi=points if has_points else None,
    )


@st.composite
def sessions(draw: st.DrawFn) -> SessionSubmitted:
    game_type = draw(st.sampled_from(GAME_TYPES))
    # A social session may have its points on the log; they do not count.
    has_points = game_type != "social" or draw(st.booleans())
    played = draw(st.lists(rounds(has_points=has_points), min_size=1, max_size=3))
    return a_session(*played, game_type=game_type)


people = st.sampled_from(PEOPLE)
facts: st.SearchStrategy[FactEvent] = st.one_of(
    sessions(),
    people.map(PlayerVerified),
    people.map(PlayerVerificationEnded),
)
# Many verifications first, or hardly any round would count among the verified.
histories: st.SearchStrategy[list[FactEvent]] = st.tuples(
    st.lists(people.map(PlayerVerified), max_size=5), st.lists(facts, min_size=1, max_size=8)
).map(lambda parts: [ADOPTED, *parts[0], *parts[1]])
