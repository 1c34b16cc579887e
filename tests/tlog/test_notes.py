"""Signed notes and checkpoints, held against the example of Go's documentation of notes."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.notes import (
    COSIGNATURE,
    NoteRefused,
    SignerKey,
    VerifierKey,
    open_note,
    read_verifier_key,
    sign_note,
)

# From the documentation of golang.org/x/mod/sumdb/note.
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\N{EM DASH} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKv"
    "qfqdngotpRZb6KE6RyyBwJnAM=\n"
)
TEXT = TreeHead("mahjic.example/facts", 5, bytes(range(32))).text


def a_key(number: int = 1, name: str = "mahjic.example/facts") -> SignerKey:
    return SignerKey(name, Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))


def a_cosignature(text: str, at_s: int, key: Ed25519PrivateKey, name: str) -> tuple[str, str]:
    """Return the line of a witness, and its verifier key; written after the specification."""
    verifier = VerifierKey(name, COSIGNATURE, key.public_key().public_bytes_raw())
    signed = key.sign(f"cosignature/v1\ntime {at_s}\n{text}".encode())
    data = verifier.key_id + at_s.to_bytes(8, "big") + signed
    return f"\N{EM DASH} {name} {base64.b64encode(data).decode()}\n", str(verifier)


def test_a_note_that_others_signed_is_opened() -> None:
    key = read_verifier_key(GO_KEY)
    text, signed = open_note(GO_NOTE, [key])
    assert text == GO_NOTE.partition("\n\n")[0] + "\n"
    assert [(each.key, each.at_s) for each in signed] == [(key, None)]
    assert str(key) == GO_KEY


def test_a_note_of_ours_is_opened_and_says_who_signed() -> None:
    first, second = a_key(1), a_key(2, "mahjic.example/old")
    note = sign_note(TEXT, [first, second])
    keys = [first.verifier, second.verifier, a_key(3).verifier]
    text, signed = open_note(note, keys)
    assert read_checkpoint(text) == TreeHead("mahjic.example/facts", 5, bytes(range(32)))
    assert [each.key for each in signed] == [first.verifier, second.verifier]
    assert open_note(note, [second.verifier])[1][0].key.name == "mahjic.example/old"


def test_a_witness_says_when_it_saw_it() -> None:
    signer = a_key()
    private = Ed25519PrivateKey.from_private_bytes(b"w" * 32)
    line, key = a_cosignature(TEXT, 1_700_000_000, private, "witness.example")
    note = sign_note(TEXT, [signer]) + line
    _, signed = open_note(note, [signer.verifier, read_verifier_key(key)])
    assert [each.at_s for each in signed] == [None, 1_700_000_000]
    other = a_cosignature(TEXT + "x\n", 1_700_000_000, private, "witness.example")[0]
    with pytest.raises(NoteRefused, match=r"witness\.example"):
        open_note(sign_note(TEXT, [signer]) + other, [signer.verifier, read_verifier_key(key)])


def test_every_byte_of_a_note_counts() -> None:
    signer = a_key()
    note = sign_note(TEXT, [signer])
    for place in range(len(note)):
        changed = note[:place] + chr(ord(note[place]) ^ 1) + note[place + 1 :]
        with pytest.raises(NoteRefused):
            open_note(changed, [signer.verifier])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n",
        "\n\n",
        "text\n",
        "text\n\n",
        "text\n\nx\n",
        "text\n\n\N{EM DASH} \n",
        "text\n\n\N{EM DASH} name\n",
        "text\n\n\N{EM DASH} name AAAA\n",
        "text\n\n\N{EM DASH} name \u00e9\n",
        "text\n\n\N{EM DASH} na me AAAAAAAA\n",
        "text\n\n- name AAAAAAAA\n",
        "text\n\n\N{EM DASH} name AAAAAAAA",
        "x" * 2_000_000,
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(NoteRefused):
        open_note(note, [a_key().verifier])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+c74f20a3",
        "name+c74f20a3+AAAA",
        GO_KEY.replace("c74f20a3", "c74f20a4"),
        GO_KEY.replace("PeterNeumann", "Peter"),
        GO_KEY.replace("+ARpc", "+AhpC"),
        GO_KEY + "=",
    ],
)
def test_what_is_no_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(NoteRefused):
        read_verifier_key(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n5\n",
        "\n5\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "origin\n-5\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "origin\n05\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "origin\n\u0665\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "origin\n9999999999999999999\n" + base64.b64encode(bytes(32)).decode() + "\n",
        "origin\n5\n" + base64.b64encode(bytes(31)).decode() + "\n",
        "origin\n5\n\u00e9\n",
        "origin\n5\n" + base64.b64encode(bytes(32)).decode().replace("A=", "B=") + "\n",
        "origin\n5\n" + base64.b64encode(bytes(32)).decode(),
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteRefused):
        read_checkpoint(text)


def test_lines_behind_the_root_are_passed_over() -> None:
    assert read_checkpoint(TEXT + "more\n").size == 5


def test_no_private_key_is_ever_shown() -> None:
    assert "private" not in repr(a_key())
