"""A public log of some records, put together by hand from hashlib and Ed25519 alone."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.cli.checking.asking import AskedService
from services.cli.checking.checking import Checked, CheckRequest, check_service
from services.cli.checking.kept import Memory
from services.rater.answering import Rater
from shared.events.chain import first_chain
from shared.events.codec import encode_fact
from shared.events.facts import FactEvent, FormulaAdopted, PlayedRound, SessionSubmitted
from shared.ids import player_id, session_id
from shared.log.port import Position, Record
from shared.rating.registry import MAHJIC_ELO_1
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from shared.tlog.notes import VerifierKey
from tests.tlog.naive import tree_head

LOG_ID: Final = "a-log-by-hand"
HOST: Final = "mahjic.example"
URL: Final = f"https://{HOST}"
TIME: Final = "2026-02-01T12:00:00.000000Z"
KEY: Final = "mjk_" + "A" * 43
ADA, BO, CY = (player_id("MJ", number) for number in (1, 2, 3))
_CHAIN: Final = re.compile(rb'"fact_chain":"([0-9a-f]{64})"')


@dataclass(frozen=True)
class HandKey:
    """A key that signs notes: of a log (1), or of a witness (4)."""

    name: str
    kind: int
    private: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def public(self) -> bytes:
        return bytes([self.kind]) + self.private.public_key().public_bytes_raw()

    @property
    def id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + self.public).digest()[:4]

    @property
    def text(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(self.public).decode()}"

    @property
    def verifier(self) -> VerifierKey:
        return VerifierKey(self.name, self.kind, self.public[1:])

    def line(self, text: str) -> str:
        signed, time = text.encode(), b""
        if self.kind == 4:
            signed = b"cosignature/v1\ntime 1770000000\n" + signed
            time = (1_770_000_000).to_bytes(8, "big")
        made = self.id + time + self.private.sign(signed)
        return f"\N{EM DASH} {self.name} {base64.b64encode(made).decode()}\n"


@dataclass
class HandMadeLog:
    """One log: its records, and how many of them are signed, by the log and by witnesses."""

    name: str
    key: HandKey
    witnesses: list[HandKey] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    chain: bytes = field(init=False)
    leaves: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chain = first_chain(LOG_ID, self.name)

    def append(self, body: bytes) -> Record:
        """Put a record on the log, and its leaf into the tree."""
        self.bodies.append(body)
        self.chain = hashlib.sha256(self.chain + body).digest()
        inside = b"".join(bytes.fromhex(each.decode()) for each in _CHAIN.findall(body))
        hidden = hashlib.sha256(self.salt("chain", len(self.bodies)) + self.chain + inside).digest()
        blanked = _CHAIN.sub(b'"fact_chain":""', body)
        salt = self.salt("record", len(self.bodies))
        entry = hashlib.sha256(salt + blanked + hidden).digest()
        self.leaves.append(hashlib.sha256(b"\x00" + entry).digest())
        return Record(len(self.bodies), self.chain, body)

    def salt(self, what: str, seq: int) -> bytes:
        return hashlib.sha256(f"{self.name} {what} {seq}".encode()).digest()

    def signed(self, text: str) -> str:
        lines = (each.line(text) for each in (self.key, *self.witnesses))
        return f"{text}\n{''.join(lines)}"

    @property
    def head(self) -> str:
        """The text of the checkpoint."""
        root = base64.b64encode(tree_head(self.leaves)).decode()
        return f"{self.key.name}\n{len(self.leaves)}\n{root}\n"

    def answer(self, path: str) -> bytes | None:
        """Return what is below the address of the log."""
        if path == "checkpoint":
            return self.signed(self.head).encode()
        if path == f"tile/0/000.p/{len(self.leaves)}":
            return b"".join(self.leaves)
        return None

    def salts(self, first: int, limit: int) -> bytes:
        lines = []
        for seq in range(first, min(first + limit, len(self.bodies) + 1)):
            salt, chain_salt = self.salt("record", seq), self.salt("chain", seq)
            told = {"salt": salt, "chain_salt": chain_salt}
            encoded = {name: base64.b64encode(each).decode() for name, each in told.items()}
            lines.append(json.dumps({"seq": seq, **encoded}))
        return "\n".join(lines).encode()


@dataclass
class HandMade:
    """A service by hand: two logs that the real rater filled, at addresses as ours has them."""

    facts: HandMadeLog = field(
        default_factory=lambda: HandMadeLog("facts", HandKey(f"{HOST}/facts", 1))
    )
    verdicts: HandMadeLog = field(
        default_factory=lambda: HandMadeLog("verdicts", HandKey(f"{HOST}/verdicts", 1))
    )
    named_witnesses: list[HandKey] = field(default_factory=list)
    has_log: bool = True
    # What is answered at some paths in place of what would be.
    instead: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    # How long a check waited each time that it did.
    pauses: list[float] = field(default_factory=list)
    _rater: Rater = field(init=False)

    def __post_init__(self) -> None:
        beginning = Position(LOG_ID, 0, first_chain(LOG_ID, "facts"))
        self._rater = Rater(beginning, "by hand", Chronicle(StoredColumns()))
        self.tell(FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters))

    def tell(self, event: FactEvent) -> None:
        """Put a fact on its log, and the verdict on the other."""
        seq = len(self.facts.bodies) + 1
        fact = self.facts.append(encode_fact(event, log_id=LOG_ID, seq=seq, time=TIME))
        for body in self._rater.answer(fact):
            self.verdicts.append(body)

    def play(self, count: int = 1) -> None:
        """Play some sessions."""
        for _ in range(count):
            played = PlayedRound(4, 1, (ADA, BO, CY), (2, 1, 0), None)
            number = session_id(1_770_000_000_000, len(self.facts.bodies))
            session = SessionSubmitted(number, "club", "2026-01-31", "social", (played,), ())
            self.tell(session)

    def check(
        self,
        memory: Path,
        *,
        as_auditor: bool = False,
        log_keys: Sequence[VerifierKey] = (),
        witnesses: Sequence[VerifierKey] = (),
    ) -> Checked:
        """Check it, as the command does."""
        self.asked.clear()
        transport = httpx.MockTransport(self.answer)
        with httpx.Client(base_url=URL, transport=transport) as client:
            service = AskedService(client, KEY if as_auditor else None, self.pauses.append)
            wanted = CheckRequest((), log_keys, witnesses)
            return check_service(service, wanted, Memory(memory), lambda *_: None)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request, and note it."""
        path = request.url.path
        self.asked.append(path)
        content = self.instead.get(path) or self._content(path, request.url.params)
        if not self.has_log:
            content = None
        if content is None:
            return httpx.Response(404, json={"code": "no_public_log", "detail": "Not here."})
        return httpx.Response(200, content=content, headers={"Mahjic-Log-Id": LOG_ID})

    def _content(self, path: str, asked: httpx.QueryParams) -> bytes | None:
        if path == "/log/keys":
            lines = [f"log {each.key.text}" for each in (self.facts, self.verdicts)]
            lines += [f"witness w1 {each.text} https://w.example" for each in self.named_witnesses]
            return "".join(f"{line}\n" for line in lines).encode()
        for log in (self.facts, self.verdicts):
            first, limit = int(asked.get("from", 1)), int(asked.get("limit", 1_000))
            if path == f"/v1/log/{log.name}":
                return b"\n".join(log.bodies[first - 1 : first - 1 + limit])
            if path == f"/v1/log/{log.name}/salts":
                return log.salts(first, limit)
            if path.startswith(f"/log/{log.key.name.partition('/')[2]}/"):
                return log.answer(path.removeprefix(f"/log/{log.key.name.partition('/')[2]}/"))
        return None


def told(checked: Checked) -> str:
    """Return what does not hold, where something must not."""
    assert checked.not_finished is None, checked.not_finished
    assert checked.findings.wrong
    return "\n".join(f"{each.where}: {each.what}" for each in checked.findings.wrong)
