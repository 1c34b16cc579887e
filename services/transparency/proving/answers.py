"""The answers with proofs: what is shown, its leaf, and the way to a signed root. Pure."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from services.projections.history.answers import Correction, Why
from shared.tlog.leaves import LogName

AnyReason = Annotated[Why | Correction, Field(discriminator="type")]


class ShownRecord(TypedDict):
    """A whole record, but for its chain values, and what makes its leaf from it."""

    body: Annotated[
        str,
        Field(
            description=(
                "The record as on the log. Where it names the chain of a fact, that is left empty: "
                '`"fact_chain":""`.'
            )
        ),
    ]
    salt: Annotated[str, Field(description="32 bytes in base64. They are nobody's to guess.")]
    chains_hash: Annotated[
        str,
        Field(
            description=(
                "What stands for the chain values, in base64. The leaf holds SHA-256 of the salt, "
                "the record, and this."
            )
        ),
    ]


class Withheld(TypedDict):
    """Why a record is not shown."""

    code: Annotated[str, Field(examples=["not_everybody_public"])]
    message: str


class ProvedRecord(TypedDict):
    """A record of a log: that it is there, and where; and what it says, if that may be shown."""

    log: Annotated[LogName, Field(examples=["facts"])]
    seq: Annotated[
        int, Field(description="Its number on the log, from 1. Its leaf is number seq - 1.")
    ]
    leaf_hash: Annotated[
        str, Field(description="The hash of its leaf (RFC 6962), 32 bytes in base64.")
    ]
    proof: Annotated[
        list[str],
        Field(description="The hashes from the leaf to the root (RFC 6962), each in base64."),
    ]
    record: Annotated[ShownRecord | None, Field(description="Null if it is withheld.")]
    withheld: Annotated[Withheld | None, Field(description="Null if the record is shown.")]


class SignedNotes(TypedDict):
    """The signed notes that the proofs lead to: size and root of the tree of each log."""

    facts: str
    verdicts: str


class ToldChange(TypedDict):
    """A change and its reason."""

    change_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM.7.1"])]
    why: Annotated[
        AnyReason,
        Field(description="As `why`, but without the rounds that a correction gave new numbers."),
    ]


class ProvedChange(ToldChange):
    """A change, the fact behind it, and the verdict on that fact."""

    fact: ProvedRecord
    verdict: Annotated[
        ProvedRecord, Field(description="The part of the verdict that moved the player.")
    ]


class ChangeProof(ProvedChange):
    """One change with its proof."""

    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    checkpoints: SignedNotes


class ListedChange(ToldChange):
    """A change, and which of the records of its page are behind it."""

    fact_seq: Annotated[int, Field(description="The fact behind it, among the records.")]
    verdict_seq: Annotated[
        int,
        Field(description="The part of the verdict that moved the player, among the records."),
    ]


class PageRecords(TypedDict):
    """The records behind the changes of a page, each once: a night is one record for its rounds."""

    facts: list[ProvedRecord]
    verdicts: list[ProvedRecord]


class ChangeProofs(TypedDict):
    """A page of a player's changes, newest first, with the proofs of the records behind them."""

    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    seq: Annotated[int, Field(description="The last fact that the page is based on.")]
    checkpoints: SignedNotes
    changes: list[ListedChange]
    records: PageRecords
    next_cursor: Annotated[
        str | None, Field(description="For the next page; null on the last one.")
    ]


class SessionProof(TypedDict):
    """A session's fact and the first part of the verdict on it, with their proofs."""

    session_id: Annotated[str, Field(examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"])]
    checkpoints: SignedNotes
    fact: ProvedRecord
    verdict: ProvedRecord
