"""What the headers of a submission say, quoted or bare, and what they cannot say."""

import pytest

from services.ingest.claim.headers import InvalidIdempotencyKey, read_idempotency_key, read_wait_s


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ([], None),
        (["abc"], "abc"),
        (['"abc"'], "abc"),
        ([' "abc" '], "abc"),
        (["8e03978e-40d5-43dd-bc93-6894a57f9324"], "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ([r'"a\"b\\c"'], r'a"b\c'),
        ([r"a\b"], r"a\b"),
        (["two words"], "two words"),
        (['inner"quote'], 'inner"quote'),
        (["k" * 255], "k" * 255),
        (['"' + "k" * 255 + '"'], "k" * 255),
        (["\\" + '"' + "k"], "\\" + '"' + "k"),
    ],
)
def test_a_key_is_one_key_quoted_or_bare(values: list[str], key: str | None) -> None:
    assert read_idempotency_key(values) == key


@pytest.mark.parametrize(
    "values",
    [
        [""],
        ['""'],
        ["   "],
        ["k" * 256],
        ['"' + "k" * 256 + '"'],
        ['"abc'],
        ['"abc";p=1'],
        ['"a"b"'],
        [r'"a\b"'],
        ["schl\u00fcssel"],
        ["tab\there"],
        ["\x7f"],
        ["abc", "abc"],
    ],
)
def test_what_is_no_key_is_refused(values: list[str]) -> None:
    with pytest.raises(InvalidIdempotencyKey):
        read_idempotency_key(values)


@pytest.mark.parametrize(
    ("values", "wait_s"),
    [
        ([], 10),
        (["wait=5"], 5),
        (["wait=0"], 0),
        (["wait=30"], 30),
        (["wait=31"], 30),
        (["wait=999999999"], 30),
        (['wait="7"'], 7),
        (["Wait = 7"], 7),
        (["wait=7; foo=bar"], 7),
        (["return=minimal, wait=3"], 3),
        (["return=minimal", "wait=3"], 3),
        (["wait=3, wait=9"], 3),  # RFC 7240, section 2: the first one counts.
        (["respond-async"], 0),
        (["Respond-Async"], 0),
        (["respond-async; x=1"], 0),
        (["respond-async, wait=4"], 4),  # RFC 7240, section 4.3: wait first, then be async.
        (["wait=4", "respond-async"], 4),
        (["wait=-1"], 10),
        (["wait=1.5"], 10),
        (["wait"], 10),
        (["wait=\u0665"], 10),
        (["wait=1e3"], 10),
        ([""], 10),
        ([",,;="], 10),
    ],
)
def test_the_wait_is_what_prefer_says_within_the_limit(values: list[str], wait_s: float) -> None:
    assert read_wait_s(values, default_s=10, max_s=30) == wait_s
