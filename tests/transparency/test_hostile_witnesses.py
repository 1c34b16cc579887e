"""A witness may answer anything: it is passed over, or nothing is signed, and that is all."""

import base64
import gzip
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.cli.scripted import Asked, ScriptedService, Told
from tests.log.deadlines import until
from tests.transparency.town import PublicTown

NAME: Final = "witness.example"
PRIVATE: Final = Ed25519PrivateKey.generate()
PUBLIC: Final = b"\x04" + PRIVATE.public_key().public_bytes_raw()
KEY_ID: Final = hashlib.sha256(NAME.encode() + b"\n" + PUBLIC).digest()[:4]
SIZE_TYPE: Final = "text/x.tlog.size"


class WitnessByHand(ScriptedService):
    """A witness that answers as a test says."""

    def __init__(self, says: Callable[[Asked], Told]) -> None:
        super().__init__(Told(500))
        self.says = says

    @property
    def setting(self) -> str:
        """The witness as MAHJIC_WITNESSES names it."""
        return f"{self.url} {NAME}+{KEY_ID.hex()}+{base64.b64encode(PUBLIC).decode()}"

    def answer(self, asked: Asked) -> Told:
        """Remember a request, and answer it."""
        self.asked.append(asked)
        return self.says(asked)


@contextmanager
def watched_by(town: PublicTown, says: Callable[[Asked], Told]) -> Iterator[WitnessByHand]:
    """Have a witness cosign a town while the context is open."""
    with WitnessByHand(says) as witness:
        town.witnesses = [witness.setting]
        yield witness


def cosigned(asked: Asked) -> Told:
    """Answer as an honest witness does that remembers nothing."""
    text = asked.body.decode().partition("\n\n")[2].partition("\n\n")[0] + "\n"
    signed = f"cosignature/v1\ntime 1770000000\n{text}".encode()
    made = KEY_ID + (1_770_000_000).to_bytes(8, "big") + PRIVATE.sign(signed)
    return Told(200, f"\N{EM DASH} {NAME} {base64.b64encode(made).decode()}\n".encode())


def with_another_line(asked: Asked) -> Told:
    """Answer with lines that are nobody's, before and after the right one."""
    right = cosigned(asked).content
    assert isinstance(right, bytes)
    other = "\N{EM DASH} mahjic.example/facts AAAAAAAA\n".encode()
    return Told(200, other + right + other)


ODD: Final = {
    "nothing": Told(200, b""),
    "no signature": Told(200, b"hello\n"),
    "a signature of another text": Told(
        200, f"\N{EM DASH} {NAME} {base64.b64encode(KEY_ID + bytes(72)).decode()}\n".encode()
    ),
    "no text": Told(200, b"\xff\xfe" * 20),
    "too much": Told(200, b"x" * 100_000),
    "packed": Told(200, gzip.compress(bytes(50_000_000)), headers={"Content-Encoding": "gzip"}),
    "a size that is none": Told(409, b"many\n"),
    "a size below zero": Told(409, b"-1\n"),
    "a size of many digits": Told(409, b"9" * 5_000),
    "another address": Told(302, b"", headers={"Location": "http://127.0.0.1:1/"}),
    "it does not know the log": Told(403, b"unknown log\n"),
    "it hangs up": Told(None),
}


@pytest.mark.parametrize("what", ODD)
async def test_an_odd_answer_costs_nothing(town: PublicTown, what: str) -> None:
    await town.play(3)
    with watched_by(town, lambda _: ODD[what]) as witness:
        async with town.kept():
            await town.until_signed(3)
            await town.play(1)
            await town.until_signed(4)
        assert town.folder.stopped() is None
        # It is away from the first answer on, for each of both logs.
        assert len(witness.asked) == 2
    note = town.folder.current("facts").checkpoint() or ""
    assert note.count("\N{EM DASH}") == 1


async def test_of_an_answer_the_line_of_the_witness_alone_is_published(town: PublicTown) -> None:
    await town.play(3)
    with watched_by(town, with_another_line):
        async with town.kept():
            await town.until_signed(3)

            async def is_cosigned() -> bool:
                note = town.folder.current("facts").checkpoint() or ""
                return f"\N{EM DASH} {NAME} " in note

            await until(is_cosigned)
    note = town.folder.current("facts").checkpoint() or ""
    assert note.count("\N{EM DASH}") == 2
    assert "AAAAAAAA" not in note


async def test_another_tree_of_the_same_size_stops_it(town: PublicTown) -> None:
    def same_size(asked: Asked) -> Told:
        """Answer as the definition says for a root that differs: 409, with the size."""
        size = asked.body.decode().partition("\n\n")[2].split("\n")[1]
        return Told(409, f"{size}\n".encode(), kind=SIZE_TYPE)

    await town.play(3)
    with watched_by(town, same_size):
        async with town.kept():
            told = await town.until_stopped()
    assert told.startswith("history_split: The witness witness.example has cosigned another tree")


async def test_a_tile_that_is_gone_stops_the_signing_and_not_the_process(town: PublicTown) -> None:
    await town.play(600)
    async with town.kept():
        await town.until_signed(600)
    (town.path / "facts" / "tile" / "0" / "000").unlink()

    def from_ten(asked: Asked) -> Told:
        is_facts = b"/facts\n" in asked.body
        return Told(409, b"10\n", kind=SIZE_TYPE) if is_facts else cosigned(asked)

    with watched_by(town, from_ten):
        async with town.kept():
            told = await town.until_stopped()
    assert told.startswith("public_log_misplaced: tile/0/000 of mahjic.example/facts is gone")


async def test_a_witness_that_was_wrong_is_left_out_and_it_goes_on(town: PublicTown) -> None:
    await town.play(3)
    with watched_by(town, lambda _: Told(409, b"999\n", kind=SIZE_TYPE)):
        async with town.kept():
            assert "we know of 0 alone" in await town.until_stopped()
    town.witnesses = []
    async with town.kept():
        await town.until_signed(3)
    assert town.folder.stopped() is None
