"""Adopts a formula, from its place on the log onward or from the beginning.

If the latest adoption is sent again, the answer is the same as the first time.
"""

import asyncio
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from services.ingest.changes.answering import ChangeAnswer, ChangePorts, effect_of, verdict_on
from services.ingest.record.waterline import Writing
from shared.answers.effects import AdoptionAnswer
from shared.events.facts import FormulaAdopted, FormulaAdoptedFromBeginning
from shared.log.postgres import Connection
from shared.rating.registry import Formula, formula_named

Since: TypeAlias = Literal["now", "beginning"]

READ_LAST: Final = """
SELECT fact_seq, formula, since FROM mahjic.formulas ORDER BY fact_seq DESC LIMIT 1
"""
NOTE_FORMULA: Final = "INSERT INTO mahjic.formulas (fact_seq, formula, since) VALUES ($1, $2, $3)"


@dataclass(frozen=True, slots=True)
class Adopted:
    """The fact that says which formula is in force."""

    fact_seq: int
    is_replayed: bool


async def adopt_formula(
    name: str, since: Since, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[AdoptionAnswer]:
    """Adopt the formula with this name. The answer says who moved, if that is known in time.

    Raises UnknownFormula.
    """
    formula = formula_named(name)

    async def decide(connection: Connection, writing: Writing) -> Adopted:
        return await _decide(connection, writing, formula, since, ports)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    adopted = await ports.recorder.decide(decide)
    verdict = await verdict_on(adopted.fact_seq, deadline_s, ports)
    body: AdoptionAnswer = {
        "formula": formula.name,
        "since": since,
        "fact_seq": adopted.fact_seq,
        "seq": adopted.fact_seq,
        "effect": effect_of(adopted.fact_seq, verdict, shown_to=None),
    }
    return ChangeAnswer(body, verdict is not None, adopted.is_replayed)


async def formula_in_use(connection: Connection) -> str:
    """Return the name of the formula that was adopted last."""
    last = await connection.fetchrow(READ_LAST)
    assert last is not None, "The first fact of every log adopts a formula."
    return str(last["formula"])


async def _decide(
    connection: Connection, writing: Writing, formula: Formula, since: Since, ports: ChangePorts
) -> Adopted:
    last = await connection.fetchrow(READ_LAST)
    assert last is not None, "The first fact of every log adopts a formula."
    if (last["formula"], last["since"]) == (formula.name, since):
        return Adopted(last["fact_seq"], is_replayed=True)
    event_type = FormulaAdopted if since == "now" else FormulaAdoptedFromBeginning
    fact = event_type(formula.name, formula.parameters)
    fact_seq = await writing.append_fact(fact, ports.ids_and_times.timestamp())
    await connection.execute(NOTE_FORMULA, fact_seq, formula.name, since)
    return Adopted(fact_seq, is_replayed=False)
