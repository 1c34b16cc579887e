"""Whatever happens to a rater's folder between two runs, the next one writes the same bytes."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from structlog.testing import capture_logs

from services.rater.folder import FolderInUse, open_folder
from tests.corrections.histories import a_long_history
from tests.log.adapters import Logs
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.rater.checkpoints.started import rated
from tests.rater.running import all_bodies
from tests.rater.stories import ENGINE, answered, fact_bodies

STEPS: Final = 60
COPIES_MAX: Final = 5


def flip_a_bit(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def cut_short(file: Path, chance: random.Random) -> None:
    os.truncate(file, chance.randrange(file.stat().st_size + 1))


def write_behind(file: Path, chance: random.Random) -> None:
    with file.open("ab") as opened:
        opened.write(chance.randbytes(20))


def remove(file: Path, _: random.Random) -> None:
    file.unlink()


HARMS: Final[tuple[Callable[[Path, random.Random], None], ...]] = (
    *(flip_a_bit, cut_short, write_behind, remove),
)


def harm(folder: Path, copies: list[Path], chance: random.Random) -> None:
    """Harm some files, or put an older one in the place of one, or the whole folder."""
    if copies and chance.random() < 0.2:
        shutil.rmtree(folder)
        shutil.copytree(chance.choice(copies), folder)
    for file in chance.sample(sorted(folder.iterdir()), chance.randrange(3)):
        older = chance.choice(copies) / file.name if copies and chance.random() < 0.4 else file
        if older != file and older.exists():
            shutil.copy(older, file)
        else:
            chance.choice(HARMS)(file, chance)


async def until_free(folder: Path) -> None:
    """Wait until the last run has cleared away what it no longer needs."""

    async def is_free() -> bool:
        try:
            held = open_folder(folder, ENGINE)
        except FolderInUse:
            return False
        assert held is not None
        held.close()
        return True

    await until(is_free)


async def test_a_folder_harmed_in_any_way_between_two_runs_changes_no_byte(
    memory_logs: Logs, tmp_path: Path
) -> None:
    chance, folder, copies = seeded_chance(), tmp_path / "rater", list[Path]()
    facts = a_long_history(chance, STEPS)
    bodies, at = fact_bodies(facts), 0
    with capture_logs() as logged:
        while at < len(bodies):
            step = chance.randrange(1, 8)
            await rated(memory_logs, bodies[at : at + step], folder)
            at += step
            await until_free(folder)
            if len(copies) < COPIES_MAX and chance.random() < 0.3:
                copies.append(tmp_path / f"copy-{len(copies)}")
                shutil.copytree(folder, copies[-1])
            harm(folder, copies, chance)
    assert await all_bodies(memory_logs.verdicts) == answered(facts)
    assert {"rater_restored", "rater_folder_ignored"} <= {each["event"] for each in logged}
