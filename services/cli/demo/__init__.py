"""The `mahjic demo` command."""

from services.cli.demo.command import demo

__all__ = ["demo"]
