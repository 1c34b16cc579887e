"""Keeps the result of the last `mahjic verify`, so that `mahjic status` can show it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import asyncpg

Outcome = Literal["held", "differed", "not_compared", "failed"]

KEEP_PROOF: Final = """
INSERT INTO mahjic.proofs AS p
    (proof, ended_at, outcome, code, fact_seq, verdict_seq, differences)
VALUES ('verify', $1, $2, $3, $4, $5, $6)
ON CONFLICT (proof) DO UPDATE
SET ended_at = excluded.ended_at, outcome = excluded.outcome, code = excluded.code,
    fact_seq = excluded.fact_seq, verdict_seq = excluded.verdict_seq,
    differences = excluded.differences
"""
IS_KEPT: Final = "SELECT to_regclass('mahjic.proofs') IS NOT NULL"
READ_PROOF: Final = """
SELECT ended_at, outcome, code, fact_seq, verdict_seq, differences
FROM mahjic.proofs WHERE proof = 'verify'
"""


@dataclass(frozen=True, slots=True)
class LastProof:
    """When it ended, how, up to where, and how many differences were listed."""

    ended_at: datetime
    outcome: Outcome
    code: str | None = None
    fact_seq: int | None = None
    verdict_seq: int | None = None
    differences: int = 0

    def troubles(self) -> Iterator[str]:
        """Yield what the operator must be told about it."""
        if self.outcome in {"differed", "failed"}:
            ended = f"found {self.differences} differences"
            if self.outcome == "failed":
                ended = f"ended with `{self.code}`"
            yield (
                f"The last `mahjic verify`, on {self.ended_at.date()}, {ended}. Run it again; "
                "docs/operations.md says what to do."
            )


async def keep_proof(pool: asyncpg.Pool, proof: LastProof) -> None:
    """Store how a proof ended, in place of the previous one."""
    if not await is_kept(pool):
        return
    await pool.execute(
        KEEP_PROOF,
        proof.ended_at,
        proof.outcome,
        proof.code,
        proof.fact_seq,
        proof.verdict_seq,
        proof.differences,
    )


async def read_proof(pool: asyncpg.Pool) -> LastProof | None:
    """Return how the last proof ended; None if there has been none yet."""
    row = await pool.fetchrow(READ_PROOF) if await is_kept(pool) else None
    return None if row is None else LastProof(**row)


async def is_kept(pool: asyncpg.Pool) -> bool:
    """Return whether the database has the tables of this program; an older one kept no proof."""
    return bool(await pool.fetchval(IS_KEPT))
