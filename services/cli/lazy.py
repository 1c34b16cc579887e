"""Imports each subcommand when it is asked for: a small one starts without the large ones."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


def commands_in(places: Mapping[str, str]) -> type[TyperGroup]:
    """Return a group of commands by name; a place is "module:function"."""

    # Typer keeps the types of contexts and commands to itself.
    class Commands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
            return [*places, *super().list_commands(ctx)]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
            if cmd_name not in places:
                return super().get_command(ctx, cmd_name)
            return _command(cmd_name, places[cmd_name])

    return Commands


def _command(name: str, place: str) -> Any:  # noqa: ANN401
    module, _, function = place.partition(":")
    alone = typer.Typer(add_completion=False)
    alone.command(name)(getattr(import_module(module), function))
    return typer.main.get_command(alone)
