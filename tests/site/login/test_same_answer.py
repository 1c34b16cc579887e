"""Nobody learns from the answer whether an address has an account: not by words, not by time."""

import random
import re
import time
from datetime import timedelta

import httpx

from tests.accounts.people import House
from tests.site.login.visiting import Visitor

ROUNDS = 250
SEED = 20261129
# How often an answer for a known address may be slower than one for an unknown address, above or
# below half of the times. By noise alone it is 2.6 % off for this many, so this is six times that;
# twice the time for one of the two puts most of its answers behind the others, on any machine.
ADVANTAGE_MAX = 0.16
_VARYING = {"x-request-id", "ratelimit", "date"}
_TOKEN = re.compile(r"[\w-]{43}")
# As long as each other, so that lengths can be compared, too.
KNOWN, UNKNOWN = "known@example.com", "other@example.com"


def told(answer: httpx.Response, address: str) -> tuple[object, ...]:
    headers = [
        (name, _TOKEN.sub("TOKEN", value))
        for name, value in answer.headers.multi_items()
        if name not in _VARYING
    ]
    words = answer.text.replace(address, "ADDRESS")
    return answer.status_code, headers, _TOKEN.sub("TOKEN", words)


async def ask_and_look(visitor: Visitor, address: str) -> list[tuple[object, ...]]:
    visitor.client.cookies.clear()
    answers = [
        await visitor.send("/login", {"email": address}),
        await visitor.get("/login/sent"),
        await visitor.send("/login/code", {"code": "0000-0000"}),
    ]
    return [told(answer, address) for answer in answers]


async def test_words_and_headers_are_the_same(visitor: Visitor, elsewhere: Visitor) -> None:
    await elsewhere.log_in(KNOWN)
    visitor.house.clock.wind(timedelta(hours=1))
    known = await ask_and_look(visitor, KNOWN)
    unknown = await ask_and_look(visitor, UNKNOWN)
    assert known == unknown
    limited = []
    for address in (KNOWN, UNKNOWN):
        for _ in range(2):
            await visitor.send("/login", {"email": address})
        limited.append(told(await visitor.send("/login", {"email": address}), address)[2])
    assert limited[0] == limited[1]
    assert "Too many mails" in str(limited[0])


async def test_the_mail_is_the_same_but_for_link_and_code(house: House) -> None:
    await house.log_in(KNOWN)
    texts = []
    for address in (KNOWN, UNKNOWN):
        mail = await house.ask(address, network=address)
        texts.append(mail.text.replace(mail.link_token, "TOKEN").replace(mail.code, "CODE"))
    assert texts[0] == texts[1]


async def advantage(visitor: Visitor, *, times: float = 1.0) -> float:
    """Return how much more often than half of the times an answer for a known address is slower.

    The two kinds are asked for in an order that is shuffled, so that noise meets both alike. Those
    for a known address take `times` as long.
    """
    randomness, house = random.Random(SEED), visitor.house
    known = [f"known{number}@example.com" for number in range(ROUNDS)]
    for address in known:
        house.clock.wind(timedelta(minutes=4))
        await house.begin(address)
    asked = [(address, True) for address in known]
    asked += [(f"other{number}@example.com", False) for number in range(ROUNDS)]
    randomness.shuffle(asked)
    taken: dict[bool, list[float]] = {True: [], False: []}
    for address, is_known in asked:
        house.clock.wind(timedelta(minutes=4))
        visitor.client.cookies.clear()
        started_s = time.perf_counter()
        answer = await visitor.send("/login", {"email": address})
        if is_known:
            work_for((times - 1) * (time.perf_counter() - started_s))
        taken[is_known].append(time.perf_counter() - started_s)
        assert answer.status_code == 303
    slower = sum(one > other for one in taken[True] for other in taken[False])
    return slower / ROUNDS**2 - 0.5


def work_for(time_s: float) -> None:
    end_s = time.perf_counter() + time_s
    while time.perf_counter() < end_s:
        pass


async def test_the_time_is_the_same(visitor: Visitor) -> None:
    off = await advantage(visitor)
    assert abs(off) < ADVANTAGE_MAX, (off, SEED)


async def test_twice_the_time_would_be_told_apart(visitor: Visitor) -> None:
    assert await advantage(visitor, times=2) > ADVANTAGE_MAX
