"""Whatever stands where a file of the rater's folder should be, the rater comes on and is right."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from structlog.testing import capture_logs

from services.rater.saving import DEFAULT_PACE
from tests.corrections.histories import a_long_history
from tests.folders import open_folder
from tests.log.adapters import Logs
from tests.log.chances import seeded_chance
from tests.rater.checkpoints.started import rated
from tests.rater.running import all_bodies
from tests.rater.stories import answered, fact_bodies

STEPS: Final = 60


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_link_to_a_pipe(path: Path) -> None:
    pipe = path.parent.parent / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    path.symlink_to(pipe)


def a_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to("/nothing/is/here")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


ODD: Final[tuple[Callable[[Path], None], ...]] = (
    *(a_pipe, a_link_to_a_pipe, a_link_to_a_device, a_link_to_nothing, a_folder, a_socket),
)


@pytest.mark.parametrize("put", ODD)
async def test_what_is_no_file_holds_the_rater_up_nowhere(
    memory_logs: Logs, put: Callable[[Path], None]
) -> None:
    # Names of sockets are short.
    place = open_folder()
    facts = a_long_history(seeded_chance(), STEPS)
    bodies = fact_bodies(facts)
    folder, whole = place / "rater", place / "whole"
    begun = len(bodies) // 2
    await rated(memory_logs, bodies[:begun], folder)
    shutil.copytree(folder, whole)
    names = sorted(each.name for each in whole.iterdir())
    assert {"manifest", "lock"} < set(names)
    # What is being written has such a name until it is whole.
    names += ["manifest.new", f"{begun + 1}.new"]
    with capture_logs() as logged:
        for at, name in enumerate(names, start=begun):
            # The rater before may still be leaving the other.
            folder = place / f"rater-{at}"
            shutil.copytree(whole, folder)
            (folder / name).unlink(missing_ok=True)
            put(folder / name)
            await rated(memory_logs, bodies[at : at + 1], folder, pace=DEFAULT_PACE)
        await rated(memory_logs, bodies[begun + len(names) :], None, pace=DEFAULT_PACE)
    assert await all_bodies(memory_logs.verdicts) == answered(facts)
    assert "rater_folder_ignored" in {each["event"] for each in logged}
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("put", ODD)
async def test_nor_does_what_stands_where_the_next_files_are_written(
    memory_logs: Logs, put: Callable[[Path], None]
) -> None:
    place = open_folder()
    facts = a_long_history(seeded_chance(), STEPS)
    bodies = fact_bodies(facts)
    folder = place / "rater"
    await rated(memory_logs, bodies[:1], folder)
    for name in ("manifest.new", *(f"{each}.new" for each in range(len(bodies) + 2))):
        put(folder / name)
    await rated(memory_logs, bodies[1:], folder, pace=DEFAULT_PACE)
    assert await all_bodies(memory_logs.verdicts) == answered(facts)
    shutil.rmtree(place, ignore_errors=True)
