"""Help is there at once: it tells every command, and imports none of them."""

import inspect
import re
import sys
from importlib import import_module

import pytest

from services.cli.app import COMMANDS, GROUPS
from services.cli.terminal.lazy import docstring
from tests.cli.running import end_of, mahjic, start

PLACES = [*COMMANDS.values(), *(place for _, group in GROUPS.values() for place in group.values())]
# What takes long to import, and no page of help needs.
HEAVY = ("fastapi", "numpy", "asyncpg", "httpx", "aiokafka")


@pytest.mark.parametrize("place", PLACES)
def test_help_tells_what_the_command_says_of_itself(place: str) -> None:
    module, _, function = place.partition(":")
    said = inspect.getdoc(getattr(import_module(module), function))
    assert said
    assert docstring(place) == said


async def test_a_list_of_commands_names_all_of_them() -> None:
    for arguments, names in [((), [*COMMANDS, *GROUPS]), (("formula",), GROUPS["formula"][1])]:
        ended = await mahjic(*arguments, "--help")
        assert ended.exit_code == 0
        listed = re.findall(r"(?m)^│ ([a-z]+) ", ended.stdout)
        assert set(names) <= set(listed)


@pytest.mark.parametrize("arguments", [("--help",), ("formula", "--help"), ("source",)])
async def test_a_list_of_commands_imports_no_command(arguments: tuple[str, ...]) -> None:
    program = await start(*arguments, PYTHONPROFILEIMPORTTIME="1")
    imported = set(re.findall(r"\| +(\S+)\n", (await end_of(program)).stderr))
    assert "services.cli.app" in imported, f"{sys.version} tells nothing of its imports."
    assert not {name.partition(".")[0] for name in imported} & set(HEAVY)
