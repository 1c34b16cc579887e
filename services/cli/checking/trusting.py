"""Finds out whose signatures count, and which public log is the one that goes on.

A key is believed the first time that it is seen, unless the caller names it; after that, another
key for the same log is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.cli.checking.asking import AskedService, NotChecked
from services.cli.checking.found import DoesNotHold, Findings
from services.cli.checking.heads import CheckedHead, Trust, path_of_log, read_head
from services.cli.checking.kept import KeptHead, SeenHeads
from services.transparency.origins import read_origin
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.leaves import LogName
from shared.tlog.notes import (
    COSIGNATURE,
    ED25519,
    NoteRefused,
    VerifierKey,
    open_note,
    read_verifier_key,
)

KEYS_PATH: Final = "/log/keys"
# Each is begun by hand, after something went badly wrong.
BEGUN_MAX: Final = 100
_WHY: Final = "why "
_NEXT: Final = "next "


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a service names, and those that the caller asks for.

    `host` is where it was asked. A log of another name could be cosigned by the same witnesses, and
    tell another history to some people.
    """

    host: str
    logs: Sequence[VerifierKey]
    witnesses: Sequence[VerifierKey]
    demanded: list[VerifierKey]
    needed_witnesses: Sequence[VerifierKey]

    def first_number(self, name: LogName, kept: KeptHead | None) -> int:
        """Return from which log on to follow: the last one seen, or the first with a given key."""
        if kept is not None:
            return kept.number
        origins = filter(None, (read_origin(each.name) for each in self.demanded))
        return min((each.number for each in origins if each.log_name == name), default=1)

    def trust(
        self, name: LogName, number: int, kept: KeptHead | None, *, has_ended: bool = False
    ) -> Trust:
        """Return whose signatures count on a log. Raises DoesNotHold.

        One that has ended may have had the key that was seen, whatever keys are given now.
        """
        path = path_of_log(name, number).removeprefix("/log/")
        found = [each for each in self.logs if each.name.endswith(f"/{path}")]
        if len(found) != 1:
            raise DoesNotHold(f"It must name one key of {path}, and names {len(found)}.", KEYS_PATH)
        key = found[0]
        is_kept = kept is not None and kept.number == number
        if kept is not None and is_kept and kept.key != str(key):
            raise DoesNotHold(
                f"It names the key {key}, and the last check saw {kept.key}.", KEYS_PATH
            )
        if self.demanded and key not in self.demanded and not (has_ended and is_kept):
            raise DoesNotHold(f"It names the key {key}, which is not one that you gave.", KEYS_PATH)
        host = key.name.partition("/")[0]
        if not self.demanded and host != self.host and not _is_here(self.host):
            raise DoesNotHold(
                f"These are the logs of {host}, and {self.host} was asked. If they are the right "
                "ones, ask there, or give their keys with --log-key.",
                KEYS_PATH,
            )
        return Trust(key, self.witnesses, self.needed_witnesses)


def read_keys(
    asking: AskedService, demanded: Sequence[VerifierKey], needed_witnesses: Sequence[VerifierKey]
) -> Keys:
    """Return the keys that a service names. Raises NotChecked, DoesNotHold."""
    text = asking.text(KEYS_PATH)
    if text is None:
        raise NotChecked(f"{asking.place} keeps no public log, so there is nothing to check it by.")
    logs, witnesses = [], []
    for line in text.splitlines():
        kind, *rest = line.split(" ")
        try:
            if kind == "log" and len(rest) == 1:
                logs.append(_key_of_kind(ED25519, rest[0]))
            elif kind == "witness" and len(rest) == 3:
                witnesses.append(_key_of_kind(COSIGNATURE, rest[1]))
            else:
                raise DoesNotHold(f"It has a line that says nothing: {line}", KEYS_PATH)
        except NoteRefused as error:
            raise DoesNotHold(f"{error} ({line})", KEYS_PATH) from None
    return Keys(asking.host, logs, witnesses, [*demanded], needed_witnesses)


def _key_of_kind(kind: int, text: str) -> VerifierKey:
    """Return a key of a log, or of a witness. Raises NoteRefused."""
    key = read_verifier_key(text)
    if key.kind != kind:
        raise NoteRefused("This verifier key is of the wrong kind.")
    return key


def _is_here(host: str) -> bool:
    """Return whether a host is this machine, where whoever keeps the logs checks them."""
    return host.startswith(("localhost:", "127.0.0.1:", "[::1]:")) or host == "localhost"


def read_current_head(
    asking: AskedService, keys: Keys, name: LogName, seen: SeenHeads | None, findings: Findings
) -> CheckedHead:
    """Return the head of the log that goes on, which has only grown since it was last seen.

    What ended before is told. Raises NotChecked, DoesNotHold.
    """
    kept = None if seen is None else (seen.facts if name == "facts" else seen.verdicts)
    number = keys.first_number(name, kept)
    for ended in _ended(asking, keys, name, number, kept):
        if kept is not None and kept.number == number:
            _check_ended(asking, keys, name, kept, ended)
        findings.note(
            f"The public log {ended.checkpoint.origin} ended with {ended.checkpoint.size} records: "
            f"{ended.why}"
        )
        number += 1
        _check_announced(keys, name, number, ended)
    head = read_head(asking, name, number, keys.trust(name, number, kept))
    if kept is not None and kept.number == number:
        head.check_grew_from(kept.size, bytes.fromhex(kept.root), "by the last check")
    return head


@dataclass(frozen=True, slots=True)
class _Ended:
    """What ended a log: its last head, why, and the key of the log that goes on."""

    checkpoint: TreeHead
    why: str
    next_key: VerifierKey


def _ended(
    asking: AskedService, keys: Keys, name: LogName, number: int, kept: KeptHead | None
) -> Iterator[_Ended]:
    for begun in range(number, number + BEGUN_MAX):
        where = f"{path_of_log(name, begun)}/ended"
        note = asking.text(where)
        if note is None:
            return
        trust = keys.trust(name, begun, kept, has_ended=True)
        ended = _last_words(trust, note, where)
        if trust.log in keys.demanded:
            keys.demanded.append(ended.next_key)
        yield ended
    raise NotChecked(f"The {name} were begun too often to follow.")


def _last_words(trust: Trust, note: str, where: str) -> _Ended:
    """Return what ended a log, once its key and the next one have signed it. Raises DoesNotHold."""
    try:
        next_key = read_verifier_key(_line(note, _NEXT, where))
        text, signed = open_note(note, [trust.log, next_key])
        checkpoint = read_checkpoint(text)
    except NoteRefused as error:
        raise DoesNotHold(str(error), where) from None
    if {each.key for each in signed} != {trust.log, next_key}:
        raise DoesNotHold("Its key and the next one must both have signed it.", where)
    if checkpoint.origin != trust.log.name:
        raise DoesNotHold(f"It ends {checkpoint.origin}, and not this log.", where)
    return _Ended(checkpoint, _line(text, _WHY, where), next_key)


def _line(text: str, beginning: str, where: str) -> str:
    """Return the rest of a line of the last words of a log. Raises DoesNotHold."""
    for line in text.splitlines():
        if line.startswith(beginning):
            return line.removeprefix(beginning)
    raise DoesNotHold(f"It has no line that begins with {beginning.strip()!r}.", where)


def _check_announced(keys: Keys, name: LogName, number: int, ended: _Ended) -> None:
    """Check that a log goes on under the key that the one before it named. Raises DoesNotHold."""
    key = keys.trust(name, number, None).log
    if key != ended.next_key:
        raise DoesNotHold(
            f"It names the key {key}, and the log before it ended by naming {ended.next_key}.",
            KEYS_PATH,
        )


def _check_ended(
    asking: AskedService, keys: Keys, name: LogName, kept: KeptHead, ended: _Ended
) -> None:
    """Check that a log ended as something that had only grown. Raises DoesNotHold."""
    trust = keys.trust(name, kept.number, kept, has_ended=True)
    head = CheckedHead(asking, name, kept.number, trust, ended.checkpoint, ())
    head.check_root()
    head.check_grew_from(kept.size, bytes.fromhex(kept.root), "by the last check")
