"""Who is invited, and who is not: each rule by a story of its own."""

import asyncio
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from services.invitations.inviting import invite_next
from shared.access.sources import change_source
from shared.addresses import BOB_EMAIL
from shared.mail.no_more import end_mail
from shared.mail.outbox import MailOutbox
from tests.invitations.town import HASHES, Town

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


async def test_those_who_are_rated_first_are_invited_once_and_nobody_before_15_minutes(
    town: Town,
) -> None:
    await town.night("ada", "bo", "cleo", "drew")
    assert await town.invited(after=14 * MINUTE) == []
    assert sorted(await town.invited(after=2 * MINUTE)) == ["ada", "bo", "cleo", "drew"]
    await town.night("ada", "bo", "cleo", "eve")
    assert sorted(await town.invited()) == ["ada", "bo", "cleo", "drew", "eve"]
    assert sorted(await town.sent()) == ["ada", "bo", "cleo", "drew", "eve"]


async def test_the_letter_says_who_rated_the_reader_and_when_and_tells_no_rating(
    town: Town,
) -> None:
    await town.night("ada", "PRIVATE: bo", at="tuesday-tiles", days_ago=3)
    assert sorted(await town.invited()) == ["ada", "bo"]
    day = town.today - timedelta(days=3)
    for letter in await town.letters():
        assert letter.subject == "You’ve been rated at Tuesday Tiles"
        words = " ".join(letter.text.split())
        assert f"Tuesday Tiles on {day:%B} {day.day}, {day.year}" in words
        assert "it belongs to you" in words
        assert "https://mahjic.example.org/login?to=/me" in words
        assert letter.token
        assert "https://mahjic.example.org/mail/no-more/" in words
        numbers = re.findall(r"[0-9]+", re.sub(r"https://\S+", "", words))
        assert set(numbers) == {str(day.day), str(day.year)}
        assert "@" not in words


async def test_the_anonymous_and_bob_have_no_address(town: Town) -> None:
    await town.night("ada", "ANON: Aunt May", BOB_EMAIL)
    assert await town.invited() == ["ada"]


async def test_nobody_who_has_claimed_is_invited(town: Town) -> None:
    await town.claim_address("ada")
    await town.night("ada", "bo", "cleo")
    await town.follow()
    await town.claim_address("bo")
    assert await town.invited() == ["cleo"]
    await town.claim_address("cleo")
    assert await town.sent() == []


async def test_nobody_who_wants_no_more_mail_is_invited_whenever_they_say_so(town: Town) -> None:
    await end_mail(town.pool, HASHES.of(town.address("ada")), at=town.clock.now())
    await town.night("ada", "bo", "cleo")
    await town.follow()
    await end_mail(town.pool, HASHES.of(town.address("bo")), at=town.clock.now())
    assert await town.invited() == ["cleo"]
    await end_mail(town.pool, HASHES.of(town.address("cleo")), at=town.clock.now())
    assert await town.sent() == []


async def test_old_nights_and_old_records_invite_nobody(town: Town) -> None:
    await town.night("old", "bo", days_ago=31)
    await town.night("recent", "bo", days_ago=29)
    assert await town.invited() == ["recent"]
    await town.night("late", "bo")
    assert "late" not in await town.invited(after=30 * DAY + MINUTE)
    assert "late" not in await town.invited()


async def test_whoever_played_years_ago_is_not_new(town: Town) -> None:
    await town.night("ada", "bo", days_ago=900)
    await town.night("ada", "bo", days_ago=1)
    assert await town.invited() == []


async def test_a_source_can_switch_its_invitations_off(town: Town) -> None:
    await town.key("b-club")
    await change_source(town.pool, "b-club", lambda before: replace(before, invites=False))
    await town.night("ada", "bo", at="b-club")
    await town.night("ada", "bo", "cleo", at="a-club")
    assert await town.invited() == ["cleo"]


async def test_what_is_voided_at_once_invites_nobody(town: Town) -> None:
    session_id = await town.night("ada", "bo")
    await town.follow()
    await town.void(session_id)
    assert await town.invited() == []


async def test_a_night_voided_after_its_letters_were_written_is_not_told_of(town: Town) -> None:
    session_id = await town.night("ada", "bo")
    assert len(await town.invited()) == 2
    await town.void(session_id)
    assert await town.sent() == []
    await town.night("ada", "bo")
    assert len(await town.invited()) == 2


async def test_a_letter_about_a_night_that_is_no_longer_the_first_is_not_sent(town: Town) -> None:
    first = await town.night("ada", "bo", at="a-club")
    await town.night("ada", "cleo", at="b-club")
    assert sorted(await town.invited()) == ["ada", "bo", "cleo"]
    await town.void(first, at="a-club")
    assert await town.sent() == ["cleo"]


async def test_whoever_is_rated_first_by_another_night_after_a_void_is_told_of_that_one(
    town: Town,
) -> None:
    first = await town.night("ada", "bo", at="a-club")
    await town.night("ada", "cleo", at="b-club", days_ago=2)
    await town.follow()
    await town.void(first, at="a-club")
    assert sorted(await town.invited()) == ["ada", "cleo"]
    assert {letter.subject for letter in await town.letters()} == {"You’ve been rated at B Club"}


async def test_an_old_night_that_is_voided_makes_a_new_one_the_first(town: Town) -> None:
    old = await town.night("ada", "bo", days_ago=80)
    await town.night("ada", "cleo")
    assert await town.invited() == ["cleo"]
    await town.void(old)
    assert sorted(await town.invited()) == ["ada", "cleo"]


async def test_whoever_a_correction_puts_in_the_seat_is_invited_and_not_who_was_there(
    town: Town,
) -> None:
    session_id = await town.night("wrong", "bo")
    await town.follow()
    await town.correct(session_id, "right", "bo")
    assert sorted(await town.invited()) == ["bo", "right"]


async def test_a_correction_was_recorded_when_what_it_corrects_was(town: Town) -> None:
    first = await town.night("wrong", "bo", days_ago=1)
    second = await town.correct(first, "wrong", "cleo", days_ago=1)
    await town.invited()
    before = {letter.who for letter in await town.letters()}
    await town.pool.execute(
        "UPDATE mahjic.submissions SET submitted_at = submitted_at - interval '40 days' "
        "WHERE session_id = $1",
        first,
    )
    await town.correct(second, "late", "drew", days_ago=1)
    assert set(await town.invited()) == before == {"wrong", "cleo"}


async def test_reassigned_seats_invite_whoever_sits_there(town: Town) -> None:
    session_id = await town.night("couple", "bo")
    await town.follow()
    await town.reseat("couple", "partner", session_id)
    assert sorted(await town.invited()) == ["bo", "partner"]
    await town.reseat("partner", "couple", session_id)
    assert sorted(await town.invited()) == ["bo", "couple", "partner"]
    assert sorted(await town.sent()) == ["bo", "couple"]


async def test_two_addresses_of_one_person_get_one_letter(town: Town) -> None:
    await town.night("home", "bo")
    assert sorted(await town.invited()) == ["bo", "home"]
    await town.night("work", "cleo")
    await town.follow()
    await town.merge("work", "home")
    assert "work" not in await town.invited()


async def test_a_person_who_claimed_one_address_is_not_invited_at_another(town: Town) -> None:
    await town.claim_address("home")
    await town.night("work", "bo")
    await town.follow()
    await town.merge("work", "home")
    assert await town.invited() == ["bo"]


async def test_when_a_merge_is_undone_the_other_is_somebody_who_was_rated_first(
    town: Town,
) -> None:
    await town.night("home", "bo")
    await town.night("work", "cleo")
    await town.merge("work", "home")
    assert "work" not in await town.invited()
    await town.unmerge("work")
    assert sorted(await town.invited()) == ["bo", "cleo", "home", "work"]


async def test_one_address_named_by_two_sources_at_once_gets_one_letter(town: Town) -> None:
    await asyncio.gather(town.key("a-club"), town.key("b-club"))
    await asyncio.gather(
        town.night("ada", "bo", at="a-club"), town.night("ada", "cleo", at="b-club")
    )
    assert sorted(await town.invited()) == ["ada", "bo", "cleo"]


async def test_nobody_who_was_forgotten_is_written_to(town: Town) -> None:
    await town.night("ada", "bo", "cleo")
    await town.follow()
    await town.forget("ada")
    assert sorted(await town.invited()) == ["bo", "cleo"]
    await town.forget("bo")
    assert await town.sent() == ["cleo"]
    # Who is named again is somebody new, at an address that had its letter.
    await town.night("ada", "bo", "drew")
    assert sorted(set(await town.invited()) - {"cleo"}) == ["ada", "drew"]


async def test_whoever_asked_the_operator_to_be_hidden_is_not_written_to(town: Town) -> None:
    await town.night("ada", "PRIVATE: bo", "cleo")
    await town.follow()
    await town.hide("ada")
    assert sorted(await town.invited()) == ["bo", "cleo"]
    await town.hide("bo")
    assert await town.sent() == ["cleo"]


async def test_an_address_that_could_not_be_reached_is_not_tried(town: Town) -> None:
    await town.pool.execute(
        "INSERT INTO mahjic.unreachable_addresses VALUES ($1, now(), 550)", town.address("ada")
    )
    await town.night("ada", "bo")
    assert await town.invited() == ["bo"]


@pytest.mark.parametrize("per_hour", [0, 3])
async def test_no_more_are_written_in_an_hour_than_the_operator_wants(
    town: Town, per_hour: int
) -> None:
    town.per_hour = per_hour
    await town.night("ada", "bo", "cleo", "drew")
    await town.night("eve", "finn", "gus", "hal")
    assert len(await town.invited()) == per_hour
    assert len(await town.invited(after=58 * MINUTE)) == per_hour
    assert len(await town.invited(after=3 * MINUTE)) == 2 * per_hour


async def test_a_formula_from_the_beginning_invites_nobody_again(town: Town) -> None:
    await town.night("ada", "bo")
    await town.adopt("mahjic-elo/2-scaled")
    assert sorted(await town.invited()) == ["ada", "bo"]
    await town.adopt("mahjic-elo/1")
    await town.follow()
    assert not await town.pool.fetchval("SELECT count(*) FROM mahjic.awaited_invitations")
    assert sorted(await town.invited()) == ["ada", "bo"]


async def test_without_hashes_nobody_may_be_written_to(town: Town) -> None:
    await town.night("ada", "bo")
    await town.follow()
    town.clock.wind(DAY)
    room = town.room
    blind = replace(room, outbox=MailOutbox(None, town.clock.now))
    assert [await invite_next(blind) for _ in range(3)] == [False, False, None]
