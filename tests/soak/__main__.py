"""Runs a soak, and shows what it found: `python -m tests.soak --sessions 1000000 --seed 1`."""

import argparse
import asyncio
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.soak import report
from tests.soak.soaking import soak


def main() -> None:
    """Soak, show the progress and the report, and write it down if that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=1_000_000, help="How many.")
    parser.add_argument("--seed", type=int, default=1, help="The same seed makes the same lines.")
    parser.add_argument("--out", type=Path, help="Where to write the report.")
    options = parser.parse_args()
    console = Console()
    console.print(f"Seed {options.seed}: {options.sessions:,} sessions.")
    columns = (
        TextColumn("{task.description:24}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bars:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what)
                if not console.is_terminal:
                    console.print(f"{what} ...")
            bars.update(tasks[what], completed=done, total=total)

        soaked = asyncio.run(soak(options.sessions, options.seed, show))
    report.show(soaked, console)
    if options.out:
        options.out.write_text(report.as_markdown(soaked), encoding="utf-8")
    soaked.prove_flat()


if __name__ == "__main__":
    main()
