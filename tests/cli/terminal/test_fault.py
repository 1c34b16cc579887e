"""A fault of ours ends a command by its place in the code, and never by what it worked on."""

import sys

import pytest

from services.cli import app


def a_fault() -> None:
    secret = "quixote@example.com"
    raise RuntimeError(f"Key (email)=({secret}) already exists.")


def test_a_fault_is_told_by_its_place_and_not_by_its_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A fault of ours is one that nobody has found yet, so it has to be put there.
    monkeypatch.setattr(app, "build_app", lambda: lambda *_, **__: a_fault())
    with pytest.raises(SystemExit) as end:
        app.main(["source", "list"])
    assert end.value.code == 70
    told = capsys.readouterr()
    assert "quixote" not in told.err + told.out
    assert "RuntimeError" in told.err
    assert "a_fault" in told.err
    assert sys.exc_info() == (None, None, None)
