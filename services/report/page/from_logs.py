"""What a report says from the logs, section by section. Pure."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from markupsafe import Markup

from services.report.page.drawn import calibration, mean_line
from services.report.page.tables import (
    FEWER,
    NOT_TOLD,
    count,
    counts_table,
    joined,
    joined_ranges,
    measure,
    share,
    undivided,
)
from services.report.shapes import (
    AdoptionTold,
    ChangesTold,
    ForecastsTold,
    MeanTold,
    PlayedTold,
    PlayersTold,
    PredictedList,
    PredictedTold,
    TrialTold,
    VolumesTold,
    VolumeTold,
)
from services.site.kit.words import shown_day, shown_number
from shared.papers.page import Row, heading, paragraph, section, table

MONTHS: Final = (
    *("How the year began", "January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
PREDICTED_COLUMNS: Final = (
    *("forecasts", "log loss", "if always even", "Brier score", "if always even"),
)


def played_section(told: PlayedTold) -> Markup:
    total = told["total"]
    lead = (
        paragraph("Fewer than 5 sessions were played.")
        if total is None
        else paragraph(
            "{sessions} sessions with {rounds} rounds and {games} games were accepted in the year "
            "and still counted at its end. A session that was corrected counts once, as corrected.",
            sessions=shown_number(total["sessions"]),
            rounds=shown_number(total["rounds"]),
            games=shown_number(total["games"]),
        )
    )
    return section(
        "What was played",
        lead,
        _volumes("By type of game", "type", told["by_type"]),
        _volumes("By region of the club, league or platform", "region", told["by_region"]),
    )


def _volumes(caption: str, column: str, told: VolumesTold) -> Markup:
    rows = [_volume_row(each) for each in told["each"]]
    if told["each"] and told["together"] is not None:
        rows.append(_volume_row(told["together"]))
    columns = (column, "sessions", "rounds", "games")
    return table(caption, columns, rows or [undivided(3)])


def _volume_row(volume: VolumeTold) -> Row:
    numbers = (volume["sessions"], volume["rounds"], volume["games"])
    return (joined(volume["names"]), *map(shown_number, numbers))


def players_section(told: PlayersTold) -> Markup:
    return section(
        "Players",
        paragraph(
            "Everyone with a rated game on record at the end of the period, each person once. "
            "Verified players have paid and shown who they are; anonymous ones are known to their "
            "own club alone; all others are Provisional."
        ),
        counts_table("Players by tier", ("tier", "players"), told["by_tier"]),
        paragraph(
            "Of them played in the year: {played}. Rated for the first time in the year: {new}.",
            played=count(told["played_in_year"]),
            new=count(told["new_in_year"]),
        ),
    )


def forecasts_section(told: ForecastsTold) -> Markup:
    total = told["total"]
    if total is None:
        return section(
            "How well ratings predicted", paragraph("Too little was played to say anything.")
        )
    return section(
        "How well ratings predicted",
        paragraph(
            "Before a round, the ratings of two players say who should win more games, and how "
            "surely. Each such forecast is held against what happened, once from each side. Log "
            "loss and Brier score say how far off the forecasts were: less is better. Beside them "
            "stands what someone gets who calls every pair even."
        ),
        table("All forecasts", ("of", *PREDICTED_COLUMNS), [("All players", *_measures(total))]),
        heading("Expected and happened"),
        calibration(told["by_expected_score"]["each"]),
        _expected_table(told["by_expected_score"]),
        _predicted_table("By rating before the round", "rating", told["by_band"]),
        _predicted_table("By games played before the round", "games", told["by_games"]),
        paragraph(
            "The ratings are those that were published. Sessions that were voided are left out, "
            "those that were corrected are held against their correction, and those in which "
            "another player turned out to have sat are left out too."
        ),
    )


def _expected_table(told: PredictedList) -> Markup:
    rows: list[Row] = [
        (
            joined_ranges(each["names"]),
            shown_number(each["forecasts"]),
            share(each["expected_micro"]),
            share(each["actual_micro"]),
        )
        for each in _all_of(told)
    ]
    columns = ("expected score", "forecasts", "expected", "happened")
    return table("Expected score and what happened", columns, rows or [undivided(3)])


def _predicted_table(caption: str, column: str, told: PredictedList) -> Markup:
    rows: list[Row] = [(joined(each["names"]), *_measures(each)) for each in _all_of(told)]
    columns = (column, *PREDICTED_COLUMNS)
    return table(caption, columns, rows or [undivided(len(PREDICTED_COLUMNS))])


def _all_of(told: PredictedList) -> Sequence[PredictedTold]:
    together = told["together"]
    return [*told["each"], together] if told["each"] and together is not None else told["each"]


def _measures(told: PredictedTold) -> list[str]:
    return [
        shown_number(told["forecasts"]),
        measure(told["log_loss_micro"]),
        measure(told["even_log_loss_micro"]),
        measure(told["brier_micro"]),
        measure(told["even_brier_micro"]),
    ]


def mean_section(means: Sequence[MeanTold]) -> Markup:
    return section(
        "The mean rating",
        paragraph(
            "Everyone begins at 1500. If the mean of all ratings moves, a rating of one year means "
            "something else than the same rating of another. The mean is told to a tenth with "
            "1,000 players or more, to a whole point with 100 or more, and not below that: with "
            "all public ratings, a finer one could tell that of a private player."
        ),
        mean_line(means),
        table(
            "Mean rating at the end of each month",
            ("month", "mean rating"),
            [(MONTHS[each["month"]], _mean(each["mean_centi"])) for each in means],
        ),
    )


def _mean(centi: int | None) -> str:
    """Return a mean as finely as it is told."""
    return NOT_TOLD if centi is None else f"{centi / 100:.1f}".removesuffix(".0")


def changes_section(told: ChangesTold) -> Markup:
    columns = ("how long after the session", "sessions")
    return section(
        "What was put right",
        counts_table("Sessions corrected in the year", columns, told["corrected"]),
        counts_table("Sessions voided in the year", columns, told["voided"]),
        counts_table(
            "Players merged in the year",
            ("how long after both were known", "merges"),
            told["merged"],
        ),
        paragraph(
            "Merges undone: {unmerged}. Sessions in which a seat turned out to be another "
            "player’s: {reseated}.",
            unmerged=count(told["unmerged"], FEWER),
            reseated=count(told["reseated"], FEWER),
        ),
    )


def adoptions_section(adoptions: Sequence[AdoptionTold]) -> Markup:
    if not adoptions:
        return section("Formulas", paragraph("No formula was adopted in the year."))
    return section("Formulas", *(_adoption(each) for each in adoptions))


def _adoption(told: AdoptionTold) -> Markup:
    for_what = "for everything ever played" if told["since"] == "beginning" else "from that day on"
    what = paragraph(
        "Adopted on {day}, {for_what}, by fact {fact} of the log.",
        day=shown_day(date.fromisoformat(told["day"])),
        for_what=for_what,
        fact=shown_number(told["fact"]),
    )
    trial = told["trial"]
    if trial is None:
        return Markup("\n").join([heading(told["formula"]), what])
    return Markup("\n").join([heading(told["formula"]), what, *_trial(told["formula"], trial)])


def _trial(formula: str, trial: TrialTold) -> list[Markup]:
    rows: list[Row] = [
        (
            name,
            measure(told["log_loss_micro"]),
            measure(told["brier_micro"]),
            "–" if told["accuracy_micro"] is None else share(told["accuracy_micro"]),
        )
        for name, told in (("As adopted before", trial["before"]), (formula, trial["adopted"]))
    ]
    return [
        table(
            f"Trial of {formula} on the history before",
            ("formula", "log loss", "Brier score", "winner called"),
            rows,
        ),
        paragraph(
            "The trial rated {rounds} rounds, with {pairs} pairs of players. Of {players} players, "
            "{moved} would have another rating. Points that they would move: {mean} in the mean, "
            "{median} in the median.",
            rounds=shown_number(trial["rounds"]),
            pairs=shown_number(trial["pairs"]),
            players=shown_number(trial["players"]),
            moved=count(trial["moved"], "a number not told"),
            mean=count(trial["mean_move_points"]),
            median=count(trial["median_move_points"]),
        ),
    ]
