"""A rater's folder gives back what was saved in it, or says what is wrong and gives nothing."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from structlog.testing import capture_logs

from services.rater.folder import FolderInUse, RaterFolder, Snapshot, open_folder
from services.rater.manifest import ManifestUnusable, read_manifest, write_manifest
from shared.log.port import Position
from shared.rating.columns import Standings
from shared.replay.files import StoredColumns
from shared.replay.replay import Checkpoint
from tests.log.chances import seeded_chance
from tests.rater.checkpoints.test_checkpoints import equal, some_standings

ENGINE = "an-engine"
LOG_ID = "a-log"
PLAYERS = 40
CHECKPOINTS = (1_000, 3_000, 4_000)


@contextmanager
def opened(path: Path, engine: str = ENGINE) -> Iterator[RaterFolder]:
    folder = open_folder(path, engine)
    assert folder is not None
    try:
        yield folder
    finally:
        folder.close()


def a_snapshot(seq: int, columns: StoredColumns) -> Snapshot:
    return Snapshot(
        position=Position(LOG_ID, seq, seq.to_bytes(32, "big")),
        verdict=f"verdict {seq}",
        time="2026-03-04T00:00:00.000000Z",
        rows=columns.rows,
        standings=standings_at(seq + 1),
    )


def standings_at(place: int) -> Standings:
    standings = some_standings(PLAYERS)
    standings.numbers[:, 0] += place
    return standings


def rows_as_of(seq: int) -> list[list[int]]:
    return [[number, number * number % 251] for number in range(seq // 10)]


def fill(folder: RaterFolder) -> None:
    """Save what was known as of several facts, and add rows that nobody vouches for."""
    columns = folder.begin(None)
    pairs, letters = columns.column("pairs", "int64", 2), columns.column("letters", "uint8")
    for place in CHECKPOINTS:
        for row in rows_as_of(place)[len(pairs) :]:
            pairs.append(row)
            letters.append([row[1]])
        folder.save(a_snapshot(place - 1, columns))
    pairs.append([7] * 200)
    assert len(pairs.rows)
    assert not folder.is_lost


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    with opened(tmp_path / "rater") as folder:
        fill(folder)
    return tmp_path / "rater"


def said(logged: list[Any]) -> str:
    """Return the warnings that were logged; there must be nothing else."""
    assert {each["log_level"] for each in logged} <= {"warning"}
    return " ".join(f"{each['event']}: {each['reason']}" for each in logged)


def test_a_folder_gives_back_what_was_saved(filled: Path) -> None:
    with opened(filled) as folder, capture_logs() as logged:
        manifest = folder.found(LOG_ID)
        assert manifest is not None
        assert (manifest.seq, manifest.verdict) == (3_999, "verdict 3999")
        assert bytes.fromhex(manifest.chain) == (3_999).to_bytes(32, "big")
        columns = folder.begin(manifest)
        assert columns.column("pairs", "int64", 2).rows.tolist() == rows_as_of(4_000)
        assert columns.column("letters", "uint8").rows.tolist() == [
            row[1] for row in rows_as_of(4_000)
        ]
        for place, expected in ((4_000, 4_000), (3_999, 3_000), (3_000, 3_000), (1_500, 1_000)):
            found = folder.newest(place)
            assert found is not None
            assert found.place == expected
            assert equal(found.standings, standings_at(expected))
        assert folder.newest(999) is None
    assert logged == []


def test_a_folder_goes_on_from_what_was_saved(filled: Path) -> None:
    for seq in (4_499, 4_999):
        with opened(filled) as folder, capture_logs() as logged:
            columns = folder.begin(folder.found(LOG_ID))
            pairs, letters = columns.column("pairs", "int64", 2), columns.column("letters", "uint8")
            for row in rows_as_of(seq + 1)[len(pairs) :]:
                pairs.append(row)
                letters.append([row[1]])
            folder.save(a_snapshot(seq, columns))
        assert logged == []
    with opened(filled) as folder:
        manifest = folder.found(LOG_ID)
        assert manifest is not None
        pairs = folder.begin(manifest).column("pairs", "int64", 2)
        assert pairs.rows.tolist() == rows_as_of(5_000)


def test_checkpoints_after_a_place_are_forgotten_for_good(filled: Path) -> None:
    with opened(filled) as folder:
        folder.begin(folder.found(LOG_ID))
        folder.drop_beyond(3_500)
        # As if the process had been killed here.
    with opened(filled) as folder:
        manifest = folder.found(LOG_ID)
        assert manifest is not None
        assert [each.place for each in manifest.checkpoints] == [1_000, 3_000]
    left = [path.name for path in sorted(filled.glob("*.checkpoint"))]
    assert [name.partition("-")[0] for name in left] == ["1000", "3000"]


def test_checkpoints_that_no_manifest_names_are_not_there(filled: Path) -> None:
    with opened(filled) as folder:
        folder.begin(folder.found(LOG_ID))
        folder.keep(Checkpoint(3_500, standings_at(3_500)))
        found = folder.newest(3_600)
        assert found is not None
        assert found.place == 3_500
    with opened(filled) as folder:
        folder.begin(folder.found(LOG_ID))
        found = folder.newest(3_600)
        assert found is not None
        assert found.place == 3_000
    assert len(list(filled.glob("*.checkpoint"))) == 3


def test_a_folder_begun_anew_is_empty(filled: Path) -> None:
    with opened(filled) as folder:
        columns = folder.begin(None)
        assert columns.column("pairs", "int64", 2).rows.tolist() == []
        assert folder.newest(9_999) is None
    with opened(filled) as folder:
        assert folder.found(LOG_ID) is None


def others_of(content: bytes, counted: int | None = None) -> Iterator[bytes]:
    """Yield what a file may have become: cut short, altered in one bit, or emptied in part.

    Every second place is among the first `counted` bytes.
    """
    chance = seeded_chance()
    for number in range(150):
        size = len(content) if number % 2 or counted is None else counted
        place = chance.randrange(size)
        if number < 50:
            yield content[:place]
        elif number < 100:
            altered = bytes([content[place] ^ (1 << chance.randrange(8))])
            yield content[:place] + altered + content[place + 1 :]
        else:
            hole = bytes(min(512, len(content) - place))
            yield content[:place] + hole + content[place + len(hole) :]


@pytest.mark.parametrize(
    ("name", "counted"),
    [("manifest", None), ("pairs.column", 400 * 16), ("letters.column", 400)],
)
def test_a_file_that_was_altered_anywhere_or_cut_short_is_told_and_nothing_is_used(
    filled: Path, name: str, counted: int | None
) -> None:
    file, unused = filled / name, 0
    content = file.read_bytes()
    for other in others_of(content, counted):
        file.write_bytes(other)
        with opened(filled) as folder, capture_logs() as logged:
            manifest = folder.found(LOG_ID)
        if manifest is None:
            unused += 1
            assert "rater_folder_ignored: The " in said(logged)
            assert name.removesuffix(".column") in said(logged)
            continue
        # Then it was beyond what counts, or nought became nought.
        assert logged == []
        with opened(filled) as folder:
            columns = folder.begin(folder.found(LOG_ID))
            assert columns.column("pairs", "int64", 2).rows.tolist() == rows_as_of(4_000)
            assert len(columns.column("letters", "uint8").rows) == 400
    assert unused > (140 if counted is None else 60)


@pytest.mark.parametrize("place", CHECKPOINTS)
def test_a_checkpoint_that_was_altered_anywhere_is_told_and_an_older_one_is_used(
    filled: Path, place: int
) -> None:
    (file,) = filled.glob(f"{place}-*.checkpoint")
    content = file.read_bytes()
    older = [each for each in CHECKPOINTS if each < place]
    for other in others_of(content):
        if other == content:
            continue
        file.write_bytes(other)
        with opened(filled) as folder, capture_logs() as logged:
            folder.begin(folder.found(LOG_ID))
            found = folder.newest(place)
        assert f"rater_checkpoint_ignored: The checkpoint {file.name} was" in said(logged)
        if older:
            assert found is not None
            assert found.place == older[-1]
            assert equal(found.standings, standings_at(older[-1]))
        else:
            assert found is None


@pytest.mark.parametrize("pattern", ["pairs.column", "letters.column", "4000-*.checkpoint"])
def test_a_file_that_is_missing_is_told(filled: Path, pattern: str) -> None:
    (file,) = filled.glob(pattern)
    file.unlink()
    with opened(filled) as folder, capture_logs() as logged:
        folder.begin(folder.found(LOG_ID))
        folder.newest(9_999)
    assert file.name in said(logged)


def test_a_folder_of_another_log_is_told_and_not_used(filled: Path) -> None:
    with opened(filled) as folder, capture_logs() as logged:
        assert folder.found("another-log") is None
    assert "It belongs to another log, a-log." in said(logged)


def test_a_folder_of_another_engine_is_told_and_not_used(filled: Path) -> None:
    with opened(filled, "another-engine") as folder, capture_logs() as logged:
        assert folder.found(LOG_ID) is None
    assert "It was written by another engine, an-engine." in said(logged)


def test_a_folder_that_is_held_is_given_to_nobody_else(tmp_path: Path) -> None:
    with opened(tmp_path / "rater"), pytest.raises(FolderInUse, match="Another process holds"):
        open_folder(tmp_path / "rater", ENGINE)
    with opened(tmp_path / "rater"):
        pass


def test_a_place_that_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with capture_logs() as logged:
        assert open_folder(tmp_path / "file" / "rater", ENGINE) is None
    assert "rater_folder_unusable" in said(logged)


def test_a_folder_that_vanishes_is_told_once_and_nothing_fails(tmp_path: Path) -> None:
    with opened(tmp_path / "rater") as folder:
        columns = folder.begin(None)
        pairs = columns.column("pairs", "int64", 2)
        shutil.rmtree(tmp_path / "rater")
        with capture_logs() as logged:
            for seq in (10, 20, 30):
                pairs.append([seq, seq])
                folder.save(a_snapshot(seq, columns))
                folder.keep(Checkpoint(seq, standings_at(seq)))
                folder.drop_beyond(0)
        assert len(pairs.rows) == 3
        assert [each["event"] for each in logged] == ["rater_folder_lost"]
        assert folder.is_lost


def test_a_manifest_that_was_written_half_is_no_manifest(filled: Path) -> None:
    whole = read_manifest(filled)
    assert whole is not None
    content = (filled / "manifest").read_bytes()
    (filled / "manifest.new").write_bytes(content[:100])
    assert read_manifest(filled) == whole
    write_manifest(filled, whole)
    assert (filled / "manifest").read_bytes() == content
    (filled / "manifest").write_bytes(content[:100])
    with pytest.raises(ManifestUnusable):
        read_manifest(filled)


def test_what_else_lies_in_the_folder_is_left_alone(filled: Path) -> None:
    (filled / "notes.txt").write_text("mine")
    with opened(filled) as folder:
        fill(folder)
    assert (filled / "notes.txt").read_text() == "mine"
    assert np.all([path.suffix != ".new" for path in filled.iterdir()])
