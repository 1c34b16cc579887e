"""Runs the `mahjic` command as `python -m services.cli`, where nothing is installed."""

from services.cli.app import main

main()
