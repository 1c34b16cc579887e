"""Go's own sumdb reads what we publish, and refuses what was tampered with."""

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from services.transparency.beginning import init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.key_files import read_signing_key
from services.transparency.origin_folder import OriginFolder
from shared.tlog.checkpoints import TreeHead
from shared.tlog.growing import GrowingTree
from shared.tlog.hashes import leaf_hash
from shared.tlog.notes import sign_note
from shared.tlog.trees import TileTree
from tests.go_tools import GoToolMissing
from tests.transparency.judges.oracle import Judged, ask_sumdb
from tests.transparency.judges.tools import not_tried, sumdb
from tests.transparency.town import PUBLIC_URL

SIZES: Final = (1, 2, 3, 7, 255, 256, 257, 511, 512, 513, 1000, 4096, 65535, 65536, 65537, 70000)
Question = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grown:
    """A public log that was signed at each size, with what it said then."""

    log: OriginFolder
    key: str
    notes: Mapping[int, str]
    roots: Mapping[int, bytes]

    def tree(self, size: int) -> TileTree:
        """Return the tree as it was."""
        return TileTree(size, self.log.read_tile)


def entry(index: int) -> bytes:
    """Return what a leaf holds."""
    return hashlib.sha256(b"record %d" % index).digest()


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """Return a log of 70,000 records."""
    try:
        sumdb()
    except GoToolMissing as missing:
        not_tried(missing)
    path: Path = tmp_path_factory.mktemp("grown") / "transparency"
    [key, _] = init_public_logs(path, PUBLIC_URL)
    log = TransparencyFolder(path).current("facts")
    signer = read_signing_key(path).of(key.name)
    tree, notes, roots = GrowingTree(), {}, {}
    for size in SIZES:
        tree.append(leaf_hash(entry(index)) for index in range(tree.size, size))
        log.write_tiles(tree.take_tiles())
        roots[size] = tree.root()
        notes[size] = sign_note(TreeHead(key.name, size, roots[size]).text, [signer])
    return Grown(log, str(key), notes, roots)


def asked_of(grown: Grown, size: int) -> Iterator[Question]:
    """Yield questions about a size to which the answer is that all is right."""
    yield {"kind": "note", "note": grown.notes[size], "keys": [grown.key]}
    tree, root = grown.tree(size), grown.roots[size]
    picked = random.Random(size)
    for index in sorted({0, size - 1, size // 2, *(picked.randrange(size) for _ in range(20))}):
        place = {"size": size, "root": root, "index": index}
        proof = tree.prove_leaf(index)
        yield {"kind": "record", **place, "entry": entry(index), "proof": proof}
    for old in (each for each in SIZES if each <= size):
        place = {"size": size, "root": root, "old": old, "old_root": grown.roots[old]}
        yield {"kind": "tree", **place, "proof": tree.prove_growth(old)}


@pytest.mark.parametrize("size", SIZES)
def test_sumdb_takes_notes_and_proofs(grown: Grown, size: int) -> None:
    questions = list(asked_of(grown, size))
    answers = ask_sumdb(questions)
    assert [each.error for each in answers] == [""] * len(questions)
    assert answers[0].text == grown.notes[size].rpartition("\n\n")[0] + "\n"


@pytest.mark.parametrize("size", SIZES)
def test_sumdb_makes_the_same_proofs_from_our_tiles(grown: Grown, size: int) -> None:
    tree = grown.tree(size)
    place = {"folder": str(grown.log.path), "size": size, "root": grown.roots[size]}
    picked = random.Random(size)
    indexes = sorted({0, size - 1, *(picked.randrange(size) for _ in range(20))})
    olds = [each for each in SIZES if each <= size]
    answers = ask_sumdb(
        [{"kind": "prove record", **place, "index": index} for index in indexes]
        + [{"kind": "prove tree", **place, "old": old} for old in olds]
    )
    expected = [tree.prove_leaf(index) for index in indexes]
    expected += [tree.prove_growth(old) for old in olds]
    assert answers == [Judged("", "", proof) for proof in expected]


def test_sumdb_refuses_hundreds_of_tamperings(grown: Grown) -> None:
    picked = random.Random(11)
    tampered: list[Question] = []
    for size in SIZES:
        for question in asked_of(grown, size):
            tampered += tampered_with(question, picked)
    answers = ask_sumdb(tampered)
    assert len(tampered) > 500
    passed = [question for question, each in zip(tampered, answers, strict=True) if not each.error]
    assert passed == []


def tampered_with(question: Question, picked: random.Random) -> Iterator[Question]:
    """Yield a question with one bit of what it names turned over, for each thing it names."""
    if question["kind"] == "note":
        text = question["note"].encode()
        # A letter of the text or the signature; a line feed may end another line.
        place = picked.choice([at for at, each in enumerate(text) if chr(each).isalnum()])
        turned = bytes([text[place] ^ (1 if text[place] not in b"@`[{" else 2)])
        yield {**question, "note": (text[:place] + turned + text[place + 1 :]).decode()}
        return
    names = ["root", "entry"] if question["kind"] == "record" else ["root", "old_root"]
    if question.get("old") == question["size"]:
        names = ["old_root"]
    for name in names:
        yield {**question, name: turned_over(question[name], picked)}
    if proof := question["proof"]:
        place = picked.randrange(len(proof))
        turned_proof = [*proof]
        turned_proof[place] = turned_over(proof[place], picked)
        yield {**question, "proof": turned_proof}
        yield {**question, "proof": proof[:-1]}
    if question["kind"] == "record" and question["size"] > 1:
        yield {**question, "index": (question["index"] + 1) % question["size"]}


def turned_over(content: bytes, picked: random.Random) -> bytes:
    """Return bytes with one bit turned over."""
    place = picked.randrange(len(content))
    turned: Sequence[int] = [content[place] ^ (1 << picked.randrange(8))]
    return content[:place] + bytes(turned) + content[place + 1 :]
