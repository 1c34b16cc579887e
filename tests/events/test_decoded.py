"""What one reader decoded is taken by another once, and never mistaken for something else."""

from shared.events.codec import decode_verdict
from shared.events.decoded import VERDICTS_MAX, DecodedVerdicts
from tests.rater.stories import ADOPTED, a_round, a_session, answered


def some_bodies(count: int) -> list[bytes]:
    sessions = (a_session(a_round({"MJ-A": each % 100, "MJ-B": 1})) for each in range(count))
    return answered([ADOPTED, *sessions])[1:]


def test_what_was_decoded_is_taken_out_once() -> None:
    decoded, (body, other) = DecodedVerdicts(), some_bodies(2)
    first = decoded.decode(b"chain 1", body)
    assert decoded.take(b"chain 1", body) is first
    again = decoded.take(b"chain 1", body)
    assert again == first == decode_verdict(body)
    assert again is not first
    assert decoded.take(b"chain 2", other) == decode_verdict(other)


def test_a_verdict_on_something_else_may_be_long_and_is_not_kept() -> None:
    decoded, (body,) = DecodedVerdicts(), answered([ADOPTED])
    noted = decoded.decode(b"chain", body)
    assert decoded.take(b"chain", body) == noted
    assert decoded.take(b"chain", body) is not noted


def test_no_more_are_kept_than_a_number() -> None:
    decoded, bodies = DecodedVerdicts(), some_bodies(VERDICTS_MAX + 1)
    kept = [decoded.decode(bytes([*divmod(each, 256)]), body) for each, body in enumerate(bodies)]
    taken = [decoded.take(bytes([*divmod(each, 256)]), body) for each, body in enumerate(bodies)]
    assert taken == kept
    assert [one is other for one, other in zip(taken, kept, strict=True)] == [
        False,
        *[True] * VERDICTS_MAX,
    ]
