"""The commands that move the logs to Kafka, and bring facts back from there."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from services.cli.terminal.options import read_settings, run_command
from services.cli.terminal.output import hint, progress_bar, say
from services.ingest.recovery.recovering import Recovered
from services.operating.kafka.moving import move_to_kafka
from services.operating.kafka.recovering import Plan, open_recovery
from shared.http.logs import configure_logs
from shared.settings import Settings


def init(
    *,
    lost: Annotated[
        bool,
        typer.Option(
            "--lost",
            help="The old topics, or their cluster, are gone for good: fill new ones.",
        ),
    ] = False,
) -> None:
    """Move the logs of the database to Kafka, or check that they are there."""
    settings = read_settings()
    configure_logs(level="error")
    with progress_bar("Moving") as show:
        moved = run_command(move_to_kafka(settings, is_lost=lost, progress=show))
    prefix = settings.kafka_prefix
    say(
        f"{'They are all there' if moved.was_moved else 'The logs are on Kafka'}: "
        f"{_count(moved.facts.seq, 'fact')} in {prefix}.facts, "
        f"{_count(moved.verdicts.seq, 'verdict')} in {prefix}.verdicts."
    )
    if not moved.was_moved:
        hint(
            "Start `mahjic ingest`, `mahjic relay`, `mahjic rater`, `mahjic projections`, "
            "`mahjic read`, `mahjic site`, `mahjic mail send`, `mahjic webhooks send` and `mahjic "
            "verification work`; `mahjic serve` will be refused from now on."
        )


def recover(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
) -> None:
    """Bring back the facts that Kafka holds and a restored database does not."""
    settings = read_settings()
    configure_logs(level="error")
    run_command(_recover(settings, is_asked=not yes))


async def _recover(settings: Settings, *, is_asked: bool) -> None:
    async with open_recovery(settings) as recovery:
        plan = await recovery.plan()
        _show(plan)
        if not plan.facts:
            return
        if is_asked and not _is_agreed():
            hint("Nothing was changed. Run `mahjic kafka recover --yes` to do it.")
            raise typer.Exit(1)
        with progress_bar("Recovering") as show:
            done = await recovery.carry_out(
                plan,
                lambda count, all_: show(f"{count} facts", count, all_),
                now=datetime.now(UTC),
            )
    _tell(done)


def _show(plan: Plan) -> None:
    hint(
        f"The table of facts ends at fact {plan.table_end.seq}, the topic at {plan.topic_end.seq}."
    )
    if plan.facts:
        hint(
            f"{_count(plan.facts, 'fact')} would be copied from the topic: "
            f"{plan.table_end.seq + 1} to {plan.topic_end.seq}. Nothing existing would change."
        )
    else:
        say("There is nothing to copy: the table has every fact that the topic has.")


def _is_agreed() -> bool:
    """Ask the person at the terminal; without one, the answer is no."""
    return sys.stdin.isatty() and typer.confirm("Copy them?", err=True)


def _tell(done: Recovered) -> None:
    lost = len(done.lost_players)
    say(
        f"Copied {_count(done.facts, 'fact')}, including {_count(done.sessions, 'session')}; "
        f"the details of {_count(lost, 'player')} are gone."
    )
    if lost:
        sessions = _count(done.sessions_of_lost, "session")
        hint(
            f"They are private until they are known again. {sessions} with them would not be "
            "recognized if sent again: ask their sources not to."
        )
    for slug in sorted(done.lost_sources):
        hint(f"The source {slug} is back without its details: see `mahjic source set {slug}`.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
