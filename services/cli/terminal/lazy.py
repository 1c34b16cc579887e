"""Imports a subcommand only when it is called, so that small commands and help start fast."""

import ast
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from shared.machine.memory import made_for_good


def commands_in(places: Mapping[str, str]) -> type[TyperGroup]:
    """Return a group of commands by name; a place is "module:function"."""

    # Typer keeps the types of contexts and commands to itself.
    class Commands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
            return [*places, *super().list_commands(ctx)]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
            if cmd_name not in places:
                return super().get_command(ctx, cmd_name)
            return _Named(cmd_name, places[cmd_name])

    return Commands


class _Named(TyperCommand):
    """A command known by its name and help, which is imported when called."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name, help=docstring(place), rich_markup_mode=None)
        self._place = place

    def make_context(self, *arguments: Any, **more: Any) -> Any:  # noqa: ANN401
        return _imported(str(self.name), self._place).make_context(*arguments, **more)


def _imported(name: str, place: str) -> Any:  # noqa: ANN401
    module, _, function = place.partition(":")
    alone = typer.Typer(add_completion=False)
    with made_for_good():
        imported = import_module(module)
    alone.command(name)(getattr(imported, function))
    return typer.main.get_command(alone)


def docstring(place: str) -> str:
    """Return the docstring of the function at a place, from its source alone."""
    module, _, function = place.partition(":")
    return _docstrings(module)[function]


@cache
def _docstrings(module: str) -> dict[str, str]:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    statements = ast.parse(Path(spec.origin).read_bytes()).body
    functions = (each for each in statements if isinstance(each, ast.FunctionDef))
    return {each.name: ast.get_docstring(each) or "" for each in functions}
