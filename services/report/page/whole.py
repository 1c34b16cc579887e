"""Puts the page of a report together: the same report always gives the same bytes. Pure."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from markupsafe import Markup

from services.report.page.from_logs import (
    adoptions_section,
    changes_section,
    forecasts_section,
    mean_section,
    played_section,
    players_section,
)
from services.report.page.tables import FEWER, NOT_TOLD, count, counts_table
from services.report.shapes import CountedBeside, MoneyCounted, Report
from services.site.kit.words import shown_day, shown_exactly, shown_number
from shared.papers.page import code, paragraph, section, table, write_page

_DRAFT: Final = Markup(
    '<p class="draft"><strong>A draft, not to be published.</strong> The year is not over. Two '
    "reports of one year, side by side, can tell counts that are too small to be told.</p>"
)
COLUMN: Final = ("how it ended", "disputes")


def page_of(report: Report, report_sha256: str) -> bytes:
    """Return the page of a report, whose file has this hash."""
    figures = report["figures"]
    sections = [
        *([_DRAFT] if report["so_far"] else []),
        played_section(figures["played"]),
        players_section(figures["players"]),
        forecasts_section(figures["forecasts"]),
        mean_section(figures["mean_ratings"]),
        changes_section(figures["changes"]),
        adoptions_section(figures["adoptions"]),
        _counted_section(report["counted"]),
        _standing_section(report, report_sha256),
    ]
    return write_page(f"Mahjic in {report['year']}", _lead(report), sections)


def _lead(report: Report) -> str:
    until = shown_day(date.fromisoformat(report["position"]["until"]))
    if report["so_far"]:
        return f"What the logs say of {report['year']} until {until}, days in UTC."
    return (
        f"What the logs say of {report['year']}, days in UTC, and what was counted beside them. "
        f"The last thing on record was accepted on {until}."
    )


def _counted_section(counted: CountedBeside) -> Markup:
    sources = counted["sources"]
    return section(
        "What no log tells",
        paragraph(
            "These figures are not on the logs. They were counted once, on {day}, and nobody can "
            "count them again.",
            day=shown_day(date.fromisoformat(counted["counted_on"])),
        ),
        table(
            "Clubs, leagues and platforms",
            ("what", "how many"),
            [
                ("Came in the year", count(sources["came"], FEWER)),
                ("Applications declined in the year", count(sources["declined"], FEWER)),
                ("Suspended when this was counted", count(sources["suspended"], FEWER)),
            ],
        ),
        counts_table("“I did not play this,” told in the year", COLUMN, counted["disputes"]),
        counts_table(
            "Seats in the sessions of the year", ("of", "players in sessions"), counted["seats"]
        ),
        paragraph("Those who have been forgotten count as private."),
        _money(counted["money"]),
        paragraph(
            "People who have asked to be forgotten, since Mahjic began: {forgotten}. When they "
            "asked is not kept.",
            forgotten=count(counted["forgotten"], FEWER),
        ),
    )


def _money(money: Sequence[MoneyCounted]) -> Markup:
    if not money:
        return paragraph("Fewer than 5 payments were made in the year.")
    return table(
        "Money for being Verified",
        ("currency", "payments", "paid", "paid back"),
        [
            (
                each["currency"].upper(),
                shown_number(each["payments"]),
                shown_exactly(each["paid_cents"] / 100),
                NOT_TOLD
                if each["refunded_cents"] is None
                else shown_exactly(each["refunded_cents"] / 100),
            )
            for each in money
        ],
    )


def _standing_section(report: Report, report_sha256: str) -> Markup:
    position = report["position"]
    return section(
        "What this stands on",
        paragraph(
            "The log {log_id}: {facts} facts and {verdicts} verdicts from its "
            "beginning. Sessions of the year were rated by {formulas}. What was accepted in the "
            "year is told, whenever it was played.",
            log_id=code(position["log_id"]),
            facts=shown_number(position["facts"]),
            verdicts=shown_number(position["verdicts"]),
            formulas=" and ".join(position["formulas"]) or "no formula",
        ),
        paragraph(
            "Counts below 5 are not told, nor is a count from which one of them could be worked "
            "out. So some lines are told together, and some say “not told.”"
        ),
        paragraph(
            "Whoever holds the log can make the figures again and compare them: "
            "{command}. The same figures are in report.json.",
            command=code("mahjic report --check FOLDER"),
        ),
        paragraph(
            "SHA-256 of the figures from the logs: {figures}. Of figures.json: {counted}. Of "
            "report.json: {whole}.",
            figures=code(report["figures_sha256"]),
            counted=code(report["counted_sha256"]),
            whole=code(report_sha256),
        ),
    )
