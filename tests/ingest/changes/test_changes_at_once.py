"""Changes of the past that meet each other and submissions, from two processes on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import httpx
import pytest

from shared.events.facts import SessionCorrected, SessionsVoided
from tests.conftest import Database
from tests.ingest.answers import problem
from tests.ingest.changes.asking import caught_up, correct, facts_of, look, played, void
from tests.ingest.claims import a_round, a_session
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.service import RunningService, running_service


@dataclass
class Two:
    """Two processes that take claims, of which one rates."""

    services: tuple[RunningService, RunningService]
    key: str

    @property
    def one(self) -> RunningService:
        return self.services[0]

    def either(self, number: int) -> RunningService:
        """Return one of them for even numbers and the other for odd ones."""
        return self.services[number % 2]


@pytest.fixture
async def two(database: Database) -> AsyncIterator[Two]:
    """Run two services on one database."""
    async with (
        running_service(database) as first,
        running_service(database, is_rating=False) as second,
        deadline(),
    ):
        yield Two((first, second), await first.source_key())


def statuses(answers: Sequence[httpx.Response]) -> dict[int, int]:
    return dict(Counter(each.status_code for each in answers))


async def test_a_void_and_a_correction_at_once_are_one_after_the_other(two: Two) -> None:
    chance = seeded_chance()
    statuses_seen = []
    for number in range(12):
        day = f"2026-01-{number + 1:02}"
        session = await played(two.one, two.key, on=day, ada=3, bo=1)
        claim = a_session(a_round(ada=1, bo=3), on=day)
        requests = [
            void(two.either(number), session, two.key),
            correct(two.either(number + chance.randrange(2)), session, claim, two.key),
        ]
        if is_void_last := chance.random() < 0.5:
            requests.reverse()
        answers = await asyncio.gather(*requests)
        voided, corrected = reversed(answers) if is_void_last else answers
        # Either the voided session was corrected, or the corrected one could not be voided.
        assert corrected.status_code == 201
        if voided.status_code != 201:
            newest = problem(voided, 409, "already_corrected")["newest"]
            assert newest == corrected.json()["session_id"]
        statuses_seen.append(voided.status_code)
        await caught_up(two.one)
        shown = await look(two.one, session, two.key)
        assert (shown["status"], shown["corrected_by"]) == (
            "corrected",
            corrected.json()["session_id"],
        )
    assert len(await facts_of(two.one, SessionCorrected)) == 12
    assert len(await facts_of(two.one, SessionsVoided)) == statuses_seen.count(201)


async def test_fifty_corrections_with_one_content_are_one_correction(two: Two) -> None:
    session = await played(two.one, two.key, ada=3, bo=1)
    claim = a_session(a_round(ada=1, bo=3))
    answers = await asyncio.gather(
        *(correct(two.either(number), session, claim, two.key) for number in range(50))
    )
    assert statuses(answers) == {201: 1, 200: 49}
    told = [each.json() for each in answers]
    # Who comes again is told so, and all else is the same.
    words = Counter(each["code"] for body in told for each in body.pop("warnings"))
    assert words == {"already_recorded": 49}
    assert all(body == told[0] for body in told)
    assert len(await facts_of(two.one, SessionCorrected)) == 1


async def test_fifty_corrections_with_as_many_contents_are_one_and_the_others_are_told_it(
    two: Two,
) -> None:
    session = await played(two.one, two.key, ada=3, bo=1)
    claims = [a_session(a_round(ada=number, bo=100 - number)) for number in range(50)]
    answers = await asyncio.gather(
        *(
            correct(two.either(number), session, claim, two.key)
            for number, claim in enumerate(claims)
        )
    )
    assert statuses(answers) == {201: 1, 409: 49}
    (new,) = (each.json()["session_id"] for each in answers if each.status_code == 201)
    for each in answers:
        if each.status_code == 409:
            assert problem(each, 409, "already_corrected")["newest"] == new
    assert len(await facts_of(two.one, SessionCorrected)) == 1


async def test_fifty_voids_are_one_void(two: Two) -> None:
    session = await played(two.one, two.key, ada=3, bo=1)
    answers = await asyncio.gather(
        *(void(two.either(number), session, two.key) for number in range(50))
    )
    assert statuses(answers) == {201: 1, 200: 49}
    assert len({each.text for each in answers}) == 1
    assert len(await facts_of(two.one, SessionsVoided)) == 1


async def test_of_a_correction_and_a_submission_with_the_same_rounds_one_is_a_duplicate(
    two: Two,
) -> None:
    other = await two.one.source_key("b-club")
    for number in range(10):
        day = f"2026-01-{number + 1:02}"
        session = await played(two.one, two.key, on=day, ada=3, bo=1)
        claim = a_session(a_round(ada=1, bo=3), on=day)
        answers = await asyncio.gather(
            correct(two.either(number), session, claim, two.key),
            two.either(number + number // 2).submit(claim, other),
        )
        assert statuses(answers) == {201: 1, 409: 1}
        (loser,) = (each for each in answers if each.status_code == 409)
        problem(loser, 409, "duplicate_session")


async def test_a_session_sent_again_while_it_is_corrected_counts_once(two: Two) -> None:
    for number in range(10):
        day = f"2026-01-{number + 1:02}"
        wrong, right = (a_session(a_round(ada=ada, bo=4 - ada), on=day) for ada in (3, 1))
        session = (await two.one.submit(wrong, two.key)).json()["session_id"]
        corrected, again, repeated = await asyncio.gather(
            correct(two.either(number), session, right, two.key),
            two.either(number + 1).submit(wrong, two.key),
            two.either(number).submit(right, two.key),
        )
        assert (again.status_code, again.json()["session_id"]) == (200, session)
        # What comes before the correction is a session, and then the correction is a duplicate.
        if corrected.status_code == 201:
            assert repeated.json()["session_id"] == corrected.json()["session_id"]
        else:
            problem(corrected, 409, "duplicate_session")
            assert repeated.status_code == 201


async def test_requests_with_one_key_wait_for_the_first(database: Database) -> None:
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        session = await played(service, key, prefer="respond-async", ada=3, bo=1)
        headers = {"idempotency_key": "k", "prefer": "wait=1"}
        claim = a_session(a_round(ada=1, bo=3))
        pairs = (
            [void(service, session, key, **headers) for _ in range(2)],
            [correct(service, session, claim, key, **headers) for _ in range(2)],
        )
        for pair in pairs:
            # One waits for the rater that never comes, and the other for that one.
            answers = sorted(await asyncio.gather(*pair), key=lambda each: each.status_code)
            assert answers[0].status_code == 202
            if answers[1].status_code != 202:
                problem(answers[1], 409, "request_in_progress")
        assert len(await facts_of(service, SessionsVoided)) == 1
        assert len(await facts_of(service, SessionCorrected)) == 1
