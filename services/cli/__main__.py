"""Runs the `mahjic` command as `python -m services.cli`."""

from services.cli.app import main

main()
