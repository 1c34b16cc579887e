"""Asks witnesses to cosign checkpoints, each in a moment or not at all (C2SP tlog-witness).

A witness remembers the last tree that it saw, and cosigns only what goes on from there. So one that
answers also tells whether we are about to sign another history.
"""

import asyncio
import base64
import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import httpx
import structlog

from services.transparency.refusals import PublicLogMisplaced
from shared.log.port import HistorySplit
from shared.tlog.checkpoints import TreeHead
from shared.tlog.notes import NoteRefused, VerifierKey, open_note, read_verifier_key
from shared.tlog.trees import ReadTile, TileMissing, TileTree

# The whole of asking one, which the next checkpoint waits for.
ASK_S_MAX: Final = 3.0
# One that was away is not asked again for so long, so that it costs nothing.
AWAY_S: Final = 60.0
# A signature is a line of some 150 bytes, and some have more than one.
ANSWER_BYTES_MAX: Final = 16 * 1024
# The size may change between two answers, but not forever.
TRIES_MAX: Final = 3
CONFLICT: Final = 409
_SIZE: Final = re.compile(r"[0-9]{1,18}\n?")
NOT_CONSISTENT: Final = 422

_log = structlog.get_logger(__name__)


class WitnessAway(Exception):
    """A witness did not answer, or not with what was asked for."""


@dataclass(frozen=True, slots=True)
class SignedTree:
    """A checkpoint that we signed, as a note, and the tiles of its tree."""

    checkpoint: TreeHead
    note: str
    read_tile: ReadTile = field(repr=False)


@dataclass(slots=True)
class Witness:
    """A witness, and what we know of it: the size that it saw last, and when to ask it again."""

    url: str
    key: VerifierKey
    size: int = 0
    ask_at_s: float = 0.0


def read_witnesses(texts: Iterable[str]) -> list[Witness]:
    """Return the witnesses that MAHJIC_WITNESSES names, as `address key` each."""
    pairs = [each.split(" ", 1) for each in texts]
    return [Witness(url.rstrip("/"), read_verifier_key(key)) for url, key in pairs]


async def ask_witnesses(
    client: httpx.AsyncClient, witnesses: Sequence[Witness], signed: SignedTree
) -> Mapping[str, str]:
    """Return the cosignatures of those who are there, as lines by the names of the witnesses.

    Raises HistorySplit if one of them has cosigned a tree that ours does not go on from, and
    PublicLogMisplaced if a tile is gone that proves it.
    """
    now_s = asyncio.get_running_loop().time()
    asked = [each for each in witnesses if each.ask_at_s <= now_s]
    lines = await asyncio.gather(*(_ask(client, each, signed) for each in asked))
    return {
        each.key.name: line for each, line in zip(asked, lines, strict=True) if line is not None
    }


async def _ask(client: httpx.AsyncClient, witness: Witness, signed: SignedTree) -> str | None:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(ASK_S_MAX):
            return await _cosigned(client, witness, signed)
    except (WitnessAway, TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
        witness.ask_at_s = loop.time() + AWAY_S
        _log.warning("witness_away", witness=witness.key.name, error=_said(error))
        return None


async def _cosigned(client: httpx.AsyncClient, witness: Witness, signed: SignedTree) -> str:
    for _ in range(TRIES_MAX):
        status, answer = await _post(client, witness, signed)
        if status == httpx.codes.OK:
            line = line_of(witness.key, f"{signed.checkpoint.text}\n{answer}")
            if line is None:
                raise WitnessAway("Its answer has no signature of its key.")
            witness.size = signed.checkpoint.size
            return line
        if status == NOT_CONSISTENT:
            raise HistorySplit(
                f"The witness {witness.key.name} has cosigned another tree of "
                f"{witness.size} records of {signed.checkpoint.origin}."
            )
        if status != CONFLICT or _SIZE.fullmatch(answer) is None:
            raise WitnessAway(f"It answered {status}.")
        asked_from, witness.size = witness.size, int(answer)
        if witness.size > signed.checkpoint.size:
            raise HistorySplit(
                f"The witness {witness.key.name} has cosigned {witness.size} records of "
                f"{signed.checkpoint.origin}, and we know of {signed.checkpoint.size} alone."
            )
        # It was asked to go on from its own size to the same one, so it has another root.
        if asked_from == witness.size == signed.checkpoint.size:
            raise HistorySplit(
                f"The witness {witness.key.name} has cosigned another tree of {witness.size} "
                f"records of {signed.checkpoint.origin}."
            )
    raise WitnessAway("Its size is another one each time.")


async def _post(client: httpx.AsyncClient, witness: Witness, signed: SignedTree) -> tuple[int, str]:
    old = witness.size
    try:
        proof = TileTree(signed.checkpoint.size, signed.read_tile).prove_growth(old)
    except TileMissing as error:
        raise PublicLogMisplaced(
            f"{error.tile.path} of {signed.checkpoint.origin} is gone or too short. Put it back "
            "from a copy of the folder."
        ) from error
    hashes = "".join(f"{base64.b64encode(each).decode()}\n" for each in proof)
    body = f"old {old}\n{hashes}\n{signed.note}".encode()
    async with client.stream("POST", f"{witness.url}/add-checkpoint", content=body) as answer:
        content = b""
        # As it was sent: what is packed could be far longer.
        async for chunk in answer.aiter_raw():
            content += chunk
            if len(content) > ANSWER_BYTES_MAX:
                raise WitnessAway("Its answer is too long.")
    return answer.status_code, content.decode("utf-8", errors="replace")


def line_of(key: VerifierKey, note: str) -> str | None:
    """Return the line of a note by which a key signed it; None if it didn't, or not rightly."""
    text, _, lines = note.rpartition("\n\n")
    for line in lines.splitlines():
        with contextlib.suppress(NoteRefused):
            open_note(f"{text}\n\n{line}\n", [key])
            return f"{line}\n"
    return None


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, WitnessAway) else type(error).__name__
