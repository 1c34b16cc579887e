"""Adopts a formula, from its place on the log onward or from the beginning.

If the latest adoption is sent again, the answer is the same as the first time. It is sent again
if it names the same proposal, or none.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from services.ingest.changes.answering import ChangeAnswer, ChangePorts, effect_of, verdict_on
from services.ingest.record.waterline import Writing
from shared.answers.effects import AdoptionAnswer
from shared.events.codec import decode_fact
from shared.events.facts import FormulaAdopted, FormulaAdoptedFromBeginning
from shared.log.postgres import Connection
from shared.rating.registry import formula_named

Since: TypeAlias = Literal["now", "beginning"]
Adopting: TypeAlias = FormulaAdopted | FormulaAdoptedFromBeginning

READ_LAST: Final = """
SELECT formulas.fact_seq, formulas.formula, formulas.since, facts.body
FROM mahjic.formulas AS formulas JOIN mahjic.facts AS facts ON facts.seq = formulas.fact_seq
ORDER BY formulas.fact_seq DESC LIMIT 1
"""
NOTE_FORMULA: Final = "INSERT INTO mahjic.formulas (fact_seq, formula, since) VALUES ($1, $2, $3)"


@dataclass(frozen=True, slots=True)
class Adopted:
    """The fact that says which formula is in force."""

    fact_seq: int
    proposal: str | None
    is_replayed: bool


async def adopt_formula(
    name: str, since: Since, *, proposal: str | None = None, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[AdoptionAnswer]:
    """Adopt the formula with this name. The answer says who moved, if that is known in time.

    Raises UnknownFormula.
    """
    formula = formula_named(name)
    kind = FormulaAdopted if since == "now" else FormulaAdoptedFromBeginning
    fact = kind(formula.name, formula.parameters, proposal=proposal)

    async def decide(connection: Connection, writing: Writing) -> Adopted:
        return await _decide(connection, writing, fact, ports)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    adopted = await ports.recorder.decide(decide)
    verdict = await verdict_on(adopted.fact_seq, deadline_s, ports)
    body: AdoptionAnswer = {
        "formula": formula.name,
        "since": since,
        "proposal": adopted.proposal,
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
    connection: Connection, writing: Writing, fact: Adopting, ports: ChangePorts
) -> Adopted:
    last = await connection.fetchrow(READ_LAST)
    assert last is not None, "The first fact of every log adopts a formula."
    before = decode_fact(last["body"]).event
    assert isinstance(before, FormulaAdopted | FormulaAdoptedFromBeginning)
    if replace(fact, proposal=fact.proposal or before.proposal) == before:
        return Adopted(last["fact_seq"], before.proposal, is_replayed=True)
    since: Since = "now" if isinstance(fact, FormulaAdopted) else "beginning"
    fact_seq = await writing.append_fact(fact, ports.ids_and_times.timestamp())
    await connection.execute(NOTE_FORMULA, fact_seq, fact.formula, since)
    return Adopted(fact_seq, fact.proposal, is_replayed=False)
