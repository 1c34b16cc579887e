"""Growing arrays keep every row, in memory and in files, also when the disk is full."""

import errno
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from shared.replay.files import FolderColumns, StoredColumns, column_path
from tests.log.chances import seeded_chance

KINDS = [("one", "int64", 1), ("four", "int32", 4), ("small", "uint8", 4), ("print", "uint8", 16)]


@pytest.fixture(params=["in memory", "in a folder"])
def columns(request: pytest.FixtureRequest, tmp_path: Path) -> StoredColumns:
    return StoredColumns() if request.param == "in memory" else FolderColumns(tmp_path, {})


@pytest.mark.parametrize(("name", "dtype", "width"), KINDS)
def test_rows_stay_as_they_were_appended(
    columns: StoredColumns, name: str, dtype: str, width: int
) -> None:
    chance = seeded_chance()
    column, expected = columns.column(name, dtype, width), list[list[int]]()
    high = np.iinfo(dtype).max
    seen: list[tuple[int, np.ndarray]] = []
    for _ in range(300):
        rows = [
            [chance.randrange(high + 1) for _ in range(width)]
            for _ in range(chance.choice((0, 1, 1, 40)))
        ]
        if chance.random() < 0.5:
            column.append([number for row in rows for number in row])
        else:
            column.extend(np.array(rows, dtype).reshape(len(rows), width))
        expected += rows
        assert len(column) == len(expected)
        if chance.random() < 0.1:
            seen.append((len(expected), column.rows))
    seen.append((len(expected), column.rows))
    assert len(expected) > 1000
    for count, shown in seen:  # What was handed out stays good, however the column grew since.
        assert shown.dtype == np.dtype(dtype)
        assert shown.reshape(-1, width).tolist() == expected[:count]
    assert columns.counts == {name: len(expected)}


def test_a_row_cannot_be_changed_by_who_reads_it(columns: StoredColumns) -> None:
    column = columns.column("numbers", "int64")
    column.append([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        column.rows[0] = 5


def test_of_a_file_only_the_rows_that_count_are_there(tmp_path: Path) -> None:
    first = FolderColumns(tmp_path, {}).column("numbers", "int32", 2)
    first.append([1, 2, 3, 4, 5, 6])
    assert len(first.rows) == 3
    again = FolderColumns(tmp_path, {"numbers": 2}).column("numbers", "int32", 2)
    assert again.rows.tolist() == [[1, 2], [3, 4]]
    again.append([7, 8])
    assert again.rows.tolist() == [[1, 2], [3, 4], [7, 8]]
    assert FolderColumns(tmp_path, {"numbers": 3}).column("numbers", "int32", 2).rows.tolist() == [
        [1, 2],
        [3, 4],
        [7, 8],
    ]


@contextmanager
def files_of_at_most(size_bytes: int) -> Iterator[None]:
    """Refuse to let files of this process grow beyond a size, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_file_that_cannot_grow_goes_on_in_memory_and_says_why(tmp_path: Path) -> None:
    columns = FolderColumns(tmp_path, {})
    column = columns.column("numbers", "int64")
    column.append(range(50_000))
    assert columns.lost is None
    size = column_path(tmp_path, "numbers").stat().st_size
    with files_of_at_most(size):
        column.append(range(50_000, 200_000))
        assert column.rows.tolist() == list(range(200_000))
    assert columns.lost is not None
    assert columns.lost.errno == errno.EFBIG


def test_a_folder_that_is_not_there_gives_columns_in_memory(tmp_path: Path) -> None:
    columns = FolderColumns(tmp_path / "missing", {})
    column = columns.column("numbers", "int64")
    column.append([1, 2, 3])
    assert column.rows.tolist() == [1, 2, 3]
    assert isinstance(columns.lost, FileNotFoundError)
