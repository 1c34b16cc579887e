"""A night in short: once for each person and night, to those who chose it, and to nobody else."""

import asyncio
from datetime import timedelta

import pytest

from services.invitations.nights import night_in_short
from services.invitations.place import begin_again
from services.invitations.summing_up import ShownNight, drop_old_summaries, sum_up_next
from services.mail.writing.in_short import MovedRating, NightInShort
from shared.events.verdicts import RatedRound, SessionRated
from shared.mail.no_more import end_mail
from tests.invitations.town import HASHES, Town

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def a_round(players: str, won: str, changes: tuple[int, ...], **other: object) -> RatedRound:
    """Return a round of four games, of which only what letters read is true."""
    seats = len(players)
    zero = (0,) * seats
    given = {
        "games_played": 4,
        "wall_games": 4 - sum(map(int, won)),
        "players": tuple(players),
        "mahjongs": tuple(map(int, won)),
        "points_centi": None,
        "rating_before": (150_000,) * seats,
        "rating_change": changes,
        **dict.fromkeys(RatedRound._fields[7:14], zero),
        **other,
    }
    return RatedRound(**given)  # type: ignore[arg-type]


def a_session(*rounds: RatedRound) -> SessionRated:
    return SessionRated("ses_1", "a-club", "2026-01-31", "social", rounds, ())


def test_a_night_in_short_adds_up_all_rounds_of_a_person() -> None:
    first = a_session(a_round("ABC", "211", (1250, -50, -1200)), a_round("BCD", "111", (7, 7, 7)))
    second = a_session(a_round("AD", "03", (-251, 251), played_as=("X", "D")))
    told = night_in_short([first, second], {"A", "X"}, 151_000)
    assert told == NightInShort(2, 8, 2, MovedRating("1,510.00", "+9.99", "up"))
    # By the ids on the fact: whoever was merged since sat there as themselves.
    assert night_in_short([second], {"A"}, 151_000) is None
    assert night_in_short([second], {"X"}, 95) == NightInShort(
        1, 4, 0, MovedRating("0.95", "−2.51", "down")
    )
    even = a_session(a_round("AB", "22", (0, 0)))
    assert night_in_short([even], {"A"}, 150_000) == NightInShort(
        1, 4, 2, MovedRating("1,500.00", "0.00", "nowhere")
    )
    assert night_in_short([even], {"A"}, None) == NightInShort(1, 4, 2, None)
    assert night_in_short([even], {"Z"}, 1) is None
    assert night_in_short([], {"A"}, 1) is None


async def test_those_who_chose_it_are_told_once_the_night_is_quiet(town: Town) -> None:
    await town.want("ada", "summary")
    await town.want("bo", "important")
    await town.want("cleo", "nothing")
    await town.night("ada", "bo", "cleo", "drew")
    await town.night("ada", "eve")
    assert await town.told(after=55 * MINUTE) == []
    assert await town.told(after=6 * MINUTE) == ["ada"]
    (letter,) = await town.letters("summary")
    assert letter.subject == "Your night at A Club"
    words = " ".join(letter.text.split())
    assert "You played 2 rounds" in words
    rating = await town.pool.fetchval(
        "SELECT rating_centi FROM {}.profiles WHERE player_id = $1".format(
            await town.pool.fetchval("SELECT live_schema FROM mahjic.views WHERE name='profiles'")
        ),
        await town.player("ada"),
    )
    assert f"{rating // 100:,}.{rating % 100:02}" in words
    assert await town.sent() == ["ada"]


async def test_what_comes_late_tells_only_those_who_were_not_told(town: Town) -> None:
    await town.want("ada", "summary")
    await town.want("bo", "summary")
    await town.night("ada", "cleo")
    assert await town.told() == ["ada"]
    await town.night("ada", "bo")
    assert await town.told() == ["ada", "bo"]
    await town.night("ada", "bo", at="b-club")
    await town.night("ada", "bo", days_ago=1)
    assert sorted(await town.told()) == ["ada", "ada", "ada", "bo", "bo", "bo"]


async def test_corrections_voids_and_all_verdicts_again_tell_nobody_twice(town: Town) -> None:
    await town.want("ada", "summary")
    await town.want("bo", "summary")
    first = await town.night("ada", "cleo")
    voided = await town.night("bo", "drew")
    await town.follow()
    await town.void(voided)
    assert await town.told() == ["ada"]
    await town.correct(first, "ada", "bo")
    await town.adopt("mahjic-elo/2-scaled")
    assert await town.told() == ["ada"]
    await begin_again(town.pool)
    # The night is looked at again, and whoever was put into it by the correction is told of it.
    assert await town.told() == ["ada", "bo"]
    await begin_again(town.pool)
    assert await town.told() == ["ada", "bo"]


async def test_old_nights_and_those_before_a_restore_are_not_told(town: Town) -> None:
    await town.want("ada", "summary")
    await town.night("ada", "bo", days_ago=31)
    assert await town.told() == []
    await town.night("ada", "bo", days_ago=1)
    await town.follow()
    await town.pool.execute("UPDATE mahjic.invitations_place SET marked_at = now()")
    assert await town.told() == []
    assert not await town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_summaries")


async def test_who_was_told_is_forgotten_when_the_night_is_too_old_to_be_told(town: Town) -> None:
    await town.want("ada", "summary")
    await town.night("ada", "bo")
    assert await town.told() == ["ada"]
    for days, kept in ((29, 1), (3, 0)):
        town.clock.wind(days * DAY)
        await drop_old_summaries(town.room)
        assert await town.pool.fetchval("SELECT count(*) FROM mahjic.summaries") == kept
    await begin_again(town.pool)
    assert await town.told() == ["ada"]


async def test_a_private_player_is_told_no_rating_whenever_they_went_out_of_sight(
    town: Town,
) -> None:
    for who in ("ada", "bo"):
        await town.want(who, "summary")
    await town.hide("ada")
    await town.night("ada", "bo", "cleo")
    assert sorted(await town.told()) == ["ada", "bo"]
    letters = {
        letter.who: " ".join(letter.text.split()) for letter in await town.letters("summary")
    }
    assert "You played 1 round" in letters["ada"]
    assert "rating is" not in letters["ada"]
    assert "rating is" in letters["bo"]
    await town.hide("bo")
    assert await town.sent() == ["ada"]


async def test_a_person_with_two_addresses_is_told_once_where_they_chose_it(town: Town) -> None:
    await town.want("home", "summary")
    await town.night("home", "bo")
    await town.night("work", "cleo")
    await town.merge("work", "home")
    assert await town.told() == ["home"]
    (letter,) = await town.letters("summary")
    assert "You played 2 rounds" in " ".join(letter.text.split())


async def test_nobody_is_told_who_changed_their_mind_or_was_forgotten(town: Town) -> None:
    for who in ("ada", "bo", "cleo", "drew"):
        await town.want(who, "summary")
    await town.night("ada", "bo", "cleo", "drew")
    await town.follow()
    await town.forget("ada")
    await end_mail(town.pool, HASHES.of(town.address("bo")), at=town.clock.now())
    assert sorted(await town.told()) == ["cleo", "drew"]
    await town.want("cleo", "important")
    await town.forget("drew")
    assert await town.sent() == []


async def test_a_night_waits_for_the_views(town: Town) -> None:
    await town.want("ada", "summary")
    await town.night("ada", "bo")
    await town.all_shown()
    await town.follow()
    town.clock.wind(61 * MINUTE)
    views = town.nights

    class Behind:
        """Views that cannot be read, and then are behind, and then are there."""

        def __init__(self) -> None:
            self.answers = ["away", "behind", "there"]

        async def shown(self, session_ids: list[str], player_ids: list[str]) -> ShownNight | None:
            match self.answers.pop(0):
                case "away":
                    return None
                case "behind":
                    return ShownNight(0, [], {})
            return await views.shown(session_ids, player_ids)

    behind = Behind()
    for _ in range(2):
        assert await sum_up_next(town.room, behind) == 0  # type: ignore[arg-type]
        assert await sum_up_next(town.room, behind) is None  # type: ignore[arg-type]
        town.clock.wind(2 * MINUTE)
    assert await sum_up_next(town.room, behind) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("processes", [3])
async def test_several_processes_at_once_tell_each_reader_once(town: Town, processes: int) -> None:
    who = ["ada", "bo", "cleo", "drew"]
    for each in who:
        await town.want(each, "summary")
    await town.night(*who)
    await town.all_shown()
    await town.follow()
    town.clock.wind(61 * MINUTE)
    counts = await asyncio.gather(*(sum_up_next(town.room, town.nights) for _ in range(processes)))
    assert sum(count or 0 for count in counts) == len(who)
    assert sorted(letter.who for letter in await town.letters("summary")) == who
