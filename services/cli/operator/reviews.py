"""The command that tells how often an agent's advice on applications and the decision agreed."""

from collections.abc import Sequence

from services.applications.reviewing.report import ReviewCount, read_reviews
from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import hint, say, show_table

COLUMNS = ("advice", "was asked", "decision", "times", "agreed")


def report(data: DataFolder = None) -> None:
    """Tell how often an agent's advice on applications and the decision agreed."""
    counts = on_database(data, read_reviews)
    show_table(COLUMNS, [_row(each) for each in counts], numbers=["times"])
    advised = sum(each.times for each in counts if each.agreed is not None)
    agreed = sum(each.times for each in counts if each.agreed)
    if not advised:
        say("No application with advice has been decided yet.")
        return
    say(f"Advice and decision agreed {agreed} of {advised} times ({100 * agreed // advised} %).")
    hint(
        "looks_fine agrees with an approval without a question, ask_first with a question before "
        "the decision, looks_wrong with a refusal. Decisions without advice are not counted."
    )


def _row(count: ReviewCount) -> Sequence[str]:
    advice = count.opinion or f"none ({count.no_advice or 'not asked'})"
    agreed = "-" if count.agreed is None else ("yes" if count.agreed else "no")
    return (advice, "yes" if count.was_asked else "no", count.decision, str(count.times), agreed)
