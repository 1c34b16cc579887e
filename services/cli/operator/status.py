"""The command that shows the status of everything."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from services.cli.terminal.options import DataFolder, run_command, settings_for_data
from services.cli.terminal.output import hint, minute, or_dash, say_json, show_table
from services.operating.proofs.proven import LastProof
from services.operating.standing import ServiceStanding, ViewStanding, read_standing
from shared.http.logs import configure_logs

COLUMNS = ("part", "state", "seq", "fact_seq", "behind", "value")
NUMBERS = ("seq", "fact_seq", "behind")


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    data: DataFolder = None,
) -> None:
    """Show both logs' ends, the rater, the relay and each view; exit with 1 if anything is wrong.

    It only looks: it starts nothing and takes nothing over.
    """
    settings = settings_for_data(data)
    configure_logs(level="critical")  # What is wrong is in the answer.
    standing = run_command(read_standing(settings))
    if as_json:
        shown = {**asdict(standing), "is_well": not standing.troubles}
        say_json(orjson.dumps(shown, option=orjson.OPT_INDENT_2))
    else:
        show_table(COLUMNS, list(_rows(standing)), numbers=NUMBERS)
        for told in (*standing.troubles, *standing.notices):
            hint(told)
    if standing.troubles:
        raise typer.Exit(1)


def _rows(standing: ServiceStanding) -> Iterator[tuple[str, ...]]:
    where = f"log {standing.log_id}"
    if standing.cluster_id is not None:
        where += f", topics {standing.prefix}.* of cluster {standing.cluster_id}"
    yield _row("mode", standing.mode, value=where)
    for end in standing.logs:
        yield _row(f"{end.log} {end.place}", end.state, seq=end.seq, value=end.chain)
    rater = standing.rater
    held = f"epoch {rater.epoch}, held by {or_dash(rater.holder)}"
    if rater.displaced is not None:
        held += f", taken from {rater.displaced}"
    running = "running" if rater.has_begun else "starting"
    alive = running if rater.is_alive else "nobody"
    yield _row("rater", alive, fact_seq=rater.fact_seq, behind=rater.behind, value=held)
    if (relay := standing.relay) is not None:
        alive = "running" if relay.is_alive else "nobody"
        yield _row("relay", alive, fact_seq=relay.fact_seq, behind=relay.behind)
    for view in standing.views:
        yield _view_row(view)
    yield _verified_row(standing.verified)
    to_come = max((view.people_behind or 0 for view in standing.views), default=0)
    for each in standing.foreign_refusals:
        state = "ok" if each.may_ask else "at the limit"
        told = f"{each.refusals} refused in 24 h because of what others have on record"
        yield _row(f"source {each.source}", state, value=told)
    yield _row("people", "ok", seq=standing.people_seq, behind=to_come, value="changes")


def _verified_row(last: LastProof | None) -> tuple[str, ...]:
    if last is None:
        return _row("verified", "never", value="run `mahjic verify`")
    found = f"{last.differences} differences" if last.code is None else f"ended with {last.code}"
    return _row(
        "verified",
        last.outcome.replace("_", " "),
        seq=last.verdict_seq,
        fact_seq=last.fact_seq,
        value=f"on {minute(last.ended_at)}, {found}",
    )


def _view_row(view: ViewStanding) -> tuple[str, ...]:
    if view.schema is None:
        state = "no build" if view.is_kept else "nobody"
        return _row(view.name, state, value=f"version {view.version} is not built yet")
    return _row(
        view.name,
        _state_of(view),
        seq=view.seq,
        fact_seq=view.fact_seq,
        behind=view.behind,
        value=f"version {view.live_version} in {view.schema}, {view.people_behind} people to go",
    )


def _state_of(view: ViewStanding) -> str:
    if not view.is_kept:
        return "nobody"
    return "ok" if view.live_version == view.version else f"version {view.version} is to come"


def _row(
    part: str,
    state: str,
    *,
    seq: int | None = None,
    fact_seq: int | None = None,
    behind: int | None = None,
    value: str | None = None,
) -> tuple[str, ...]:
    return (part, state, or_dash(seq), or_dash(fact_seq), or_dash(behind), or_dash(value))
