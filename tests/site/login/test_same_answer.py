"""Nobody learns from the answer whether an address has an account: not by words, not by time."""

import random
import re
import statistics
import time
from datetime import timedelta

import httpx

from tests.accounts.people import House
from tests.site.login.visiting import Visitor

ROUNDS = 120
SEED = 20261129
# How much of the time of an answer a stranger may still tell apart, with medians of this many.
# Looking whether an account is there, and making one, takes more than a tenth.
DIFFERENCE_MAX = 0.25
_VARYING = {"x-request-id", "ratelimit", "set-cookie", "date", "content-length"}


def told(answer: httpx.Response, address: str) -> tuple[object, ...]:
    headers = {key: value for key, value in answer.headers.items() if key not in _VARYING}
    words = answer.text.replace(address, "ADDRESS")
    return answer.status_code, headers, re.sub(r"[\w-]{43}", "TOKEN", words)


async def ask_and_look(visitor: Visitor, address: str) -> list[tuple[object, ...]]:
    visitor.client.cookies.clear()
    answers = [
        await visitor.send("/login", {"email": address}),
        await visitor.get("/login/sent"),
        await visitor.send("/login/code", {"code": "0000-0000"}),
    ]
    return [told(answer, address) for answer in answers]


async def test_words_and_headers_are_the_same(visitor: Visitor, elsewhere: Visitor) -> None:
    await elsewhere.log_in("known@example.com")
    visitor.house.clock.wind(timedelta(hours=1))
    known = await ask_and_look(visitor, "known@example.com")
    unknown = await ask_and_look(visitor, "nobody@example.com")
    assert known == unknown
    limited = []
    for address in ("known@example.com", "nobody@example.com"):
        for _ in range(2):
            await visitor.send("/login", {"email": address})
        limited.append(told(await visitor.send("/login", {"email": address}), address)[2])
    assert limited[0] == limited[1]
    assert "Too many mails" in str(limited[0])


async def test_the_mail_is_the_same_but_for_link_and_code(house: House) -> None:
    await house.log_in("known@example.com")
    texts = []
    for address in ("known@example.com", "nobody@example.com"):
        mail = await house.ask(address, network=address)
        texts.append(mail.text.replace(mail.link_token, "TOKEN").replace(mail.code, "CODE"))
    assert texts[0] == texts[1]


async def test_the_time_is_the_same(visitor: Visitor, house: House) -> None:
    """Medians of interleaved requests, in an order that is shuffled: noise meets both alike."""
    randomness = random.Random(SEED)
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
        taken[is_known].append(time.perf_counter() - started_s)
        assert answer.status_code == 303
    ratio = statistics.median(taken[True]) / statistics.median(taken[False])
    assert 1 - DIFFERENCE_MAX < ratio < 1 + DIFFERENCE_MAX, (ratio, SEED)
