"""Says in the last line but one of a run what was skipped and why."""

from collections import Counter
from collections.abc import Iterator

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Write the line, behind all that pytest itself tells of tests."""
    yield
    terminalreporter.write_line(told(terminalreporter.stats.get("skipped", [])))


def told(skipped: list[pytest.TestReport]) -> str:
    """Return in a line how many tests were skipped for which reason."""
    reasons = Counter(_reason_of(report) for report in skipped)
    if not reasons:
        return "Nothing was skipped."
    counted = "; ".join(f"{count} because: {reason}" for reason, count in reasons.most_common())
    return f"Skipped {reasons.total()}: {counted}"


def _reason_of(report: pytest.TestReport) -> str:
    _, _, reason = report.longrepr if isinstance(report.longrepr, tuple) else (0, 0, "no reason")
    return " ".join(reason.removeprefix("Skipped: ").split())
