"""Checks a player: each change, its proof, and that all changes make the rating that is shown."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from services.cli.checking.arithmetic import centi, check_arithmetic
from services.cli.checking.asking import AskedService, NotChecked
from services.cli.checking.found import DoesNotHold, Findings, same
from services.cli.checking.heads import CheckedHead
from services.cli.checking.kept_records import KeptLog
from services.cli.checking.records import (
    check_fact,
    check_leaf_of,
    check_played,
    check_verdict,
    hash_in,
)
from services.cli.terminal.client import path_of
from services.projections.history.answers import Correction, Why
from services.projections.profiles.answers import Profile
from services.transparency.proving.answers import (
    ChangeProofs,
    ListedChange,
    ProvedChange,
    ProvedRecord,
)
from shared.ids import MistypedPlayerIdError, read_player_id
from shared.rating.registry import START_CENTI
from shared.tlog.checkpoints import TreeHead
from shared.tlog.leaves import LOG_NAMES, LogName, split_chains

PAGE_CHANGES: Final = 50
# A player whose rating moves during the check is read again from the start.
TRIES_MAX: Final = 5
# Thirty rounds a day for ten years; a service could list changes without end.
CHANGES_MAX: Final = 100_000

Progress = Callable[[str, int, int | None], None]
Heads = dict[LogName, CheckedHead]
Known = dict[LogName, KeptLog]
# The records of a page, by their numbers.
Records = Mapping[str, Mapping[int, ProvedRecord]]


@dataclass(frozen=True, slots=True)
class CheckedPlayer:
    """What was checked of a player: the changes, and how many records were shown whole."""

    player_id: str
    changes: int
    rating: float
    verified_rating: float
    records_shown: int
    records_withheld: int


def check_player(
    asking: AskedService,
    heads: Heads,
    who: str,
    findings: Findings,
    progress: Progress,
    *,
    known: Known | None = None,
) -> CheckedPlayer:
    """Check everything public about a player. Raises NotChecked and DoesNotHold.

    An auditor has what is withheld from others, and holds the numbers against that too.
    """
    for _ in range(TRIES_MAX):
        profile = asking.read(Profile, path_of("v1", "players", who))
        if profile["player_id"] != who:
            findings.note(f"{who} leads to {profile['player_id']}, so that player was checked.")
            who = _id_in(profile)
        changes = _read_changes(asking, heads, who, progress)
        if _told(profile) == _told(asking.read(Profile, path_of("v1", "players", who))):
            break
    else:
        raise NotChecked(f"The ratings of {who} change faster than they can be read.")
    for page in changes:
        page.check_proofs(heads, findings)
    listed = [each for page in changes for each in page.changes]
    for each in listed:
        with findings.at(each["change_id"]):
            check_change(each if known is None else _with_records(each, known), who)
    _check_order(listed, findings)
    _check_sums(listed, profile, findings)
    records = [each for change in listed for each in (change["fact"], change["verdict"])]
    told = {(each["log"], each["seq"]) for each in records}
    shown = {(each["log"], each["seq"]) for each in records if each["record"] is not None}
    return CheckedPlayer(
        who,
        len(listed),
        profile["rating"],
        profile["verified_rating"],
        len(shown),
        len(told) - len(shown),
    )


def _with_records(change: ProvedChange, known: Known) -> ProvedChange:
    """Return a change with the records that an auditor has of it."""
    fact = _known(change["fact"], known["facts"])
    return {**change, "fact": fact, "verdict": _known(change["verdict"], known["verdicts"])}


def _known(proved: ProvedRecord, log: KeptLog) -> ProvedRecord:
    bodies = log.records.bodies(proved["seq"] - 1, 1) if proved["seq"] > 0 else []
    if proved["record"] is not None or not bodies:
        return proved
    # Its leaf was held against the whole record already, with its chain values.
    body = split_chains(bodies[0])[0].decode(errors="replace")
    return {**proved, "record": {"body": body, "salt": "", "chains_hash": ""}}


def _id_in(profile: Profile) -> str:
    try:
        return read_player_id(profile["player_id"])
    except MistypedPlayerIdError as error:
        raise DoesNotHold(f"player_id of the profile: {error}") from None


def check_change(change: ProvedChange, who: str) -> None:
    """Check a change, and what is shown of its records. Raises DoesNotHold."""
    why = change["why"]
    moved = why["played_as"] or who
    named = f"{moved}.{why['fact_seq']}"
    if why["type"] == "round":
        named = f"{named}.{why['round_number']}"
    same("The id of the change", change["change_id"], named)
    same("The id within the reason", why["change_id"], named)
    check_arithmetic(why)
    fact = check_fact(why, change["fact"])
    verdict = check_verdict(why, moved, change["verdict"])
    if why["type"] == "round" and fact is not None and verdict is not None:
        check_played(fact, verdict, why["round_number"])


@dataclass(frozen=True, slots=True)
class _Page:
    """Changes, newest first, the records behind them, and the heads to which proofs lead."""

    changes: list[ProvedChange]
    records: Records
    checkpoints: dict[LogName, TreeHead]

    def check_proofs(self, heads: Heads, findings: Findings) -> None:
        """Check that every record is on its log, and makes its leaf if it is shown."""
        for name in LOG_NAMES:
            for seq, proved in self.records[name].items():
                with findings.at(f"Record {seq} of the {name}"):
                    same("The log", proved["log"], name)
                    leaf = hash_in(proved["leaf_hash"], "leaf_hash")
                    proof = [hash_in(each, "A hash of the proof") for each in proved["proof"]]
                    heads[name].check_in(self.checkpoints[name], seq, leaf, proof)
                    check_leaf_of(proved)


def _records_of(page: ChangeProofs) -> Records:
    return {name: {each["seq"]: each for each in page["records"][name]} for name in LOG_NAMES}


def _with_its_records(change: ListedChange, records: Records) -> ProvedChange:
    """Return a change with the records behind it. Raises DoesNotHold."""
    behind: list[ProvedRecord] = []
    for name, seq in (("facts", change["fact_seq"]), ("verdicts", change["verdict_seq"])):
        proved = records[name].get(seq)
        if proved is None:
            raise DoesNotHold(
                f"Record {seq} of the {name}, which it stands on, is not on the page.",
                change["change_id"],
            )
        behind.append(proved)
    fact, verdict = behind
    return {
        "change_id": change["change_id"],
        "why": change["why"],
        "fact": fact,
        "verdict": verdict,
    }


def _read_changes(asking: AskedService, heads: Heads, who: str, progress: Progress) -> list[_Page]:
    """Return all changes of a player, newest first."""
    pages: list[_Page] = []
    count, cursor = 0, None
    path = path_of("v1", "players", who, "proofs")
    while True:
        page = asking.read(ChangeProofs, path, limit=PAGE_CHANGES, cursor=cursor)
        same("player_id", page["player_id"], who)
        checkpoints = {
            name: heads[name].accept(page["checkpoints"][name], f"{path}, checkpoints.{name}")
            for name in LOG_NAMES
        }
        records = _records_of(page)
        changes = [_with_its_records(each, records) for each in page["changes"]]
        pages.append(_Page(changes, records, checkpoints))
        count += len(page["changes"])
        progress(f"change {count} of {who}", count, None)
        cursor = page["next_cursor"]
        if cursor is None:
            return pages
        if count > CHANGES_MAX or not page["changes"]:
            raise DoesNotHold(f"{path} lists changes without end: {count}, and still more.", path)


def _check_order(changes: Sequence[ProvedChange], findings: Findings) -> None:
    """Check that each change is told once, and that verdicts are in the order of their facts.

    They come newest first.
    """
    told = Counter(each["change_id"] for each in changes)
    for change_id in (each for each, times in told.items() if times > 1):
        findings.add(change_id, f"The change is told {told[change_id]} times.")
    for newer, older in pairwise(changes):
        with findings.at(older["change_id"]):
            if _number(newer) < _number(older):
                raise DoesNotHold(f"It came after {newer['change_id']}, and is told before it.")
            is_other_fact = newer["why"]["fact_seq"] != older["why"]["fact_seq"]
            before, after = older["verdict"]["seq"], newer["verdict"]["seq"]
            if is_other_fact and before >= after:
                raise DoesNotHold(
                    f"Its verdict is number {before}, and that of {newer['change_id']}, which "
                    f"came after it, is {after}."
                )


def _number(change: ProvedChange) -> tuple[int, int]:
    why = change["why"]
    return why["fact_seq"], why["round_number"] if why["type"] == "round" else 0


def _check_sums(changes: Sequence[ProvedChange], profile: Profile, findings: Findings) -> None:
    """Check that each change begins where the one before it ended, and that they make the rating.

    They come newest first.
    """
    who = profile["player_id"]
    for name, rating, games in (
        ("mahjic", profile["rating"], profile["games"]),
        ("verified", profile["verified_rating"], profile["verified_games"]),
    ):
        stands: dict[str, tuple[int, int]] = {}
        total = START_CENTI
        for each in reversed(changes):
            pool = _through(each["why"], name)
            moved = each["why"]["played_as"] or who
            with findings.at(f"{each['change_id']}, {name}"):
                before = stands.get(moved, (START_CENTI, 0))
                stands[moved] = (pool.rating_after, pool.games_after)
                if (pool.rating_before, pool.games_before) != before:
                    raise DoesNotHold(
                        f"It begins at {pool.rating_before / 100:.2f} after {pool.games_before} "
                        f"games, and the changes before it end at {before[0] / 100:.2f} after "
                        f"{before[1]}."
                    )
            total += pool.rating_after - pool.rating_before
        with findings.at(f"{who}, {name}"):
            if total != centi(rating):
                raise DoesNotHold(
                    f"1500.00 and all changes make {total / 100:.2f}, and the rating shown is "
                    f"{rating:.2f}."
                )
            same("The games after all changes", stands.get(who, (0, 0))[1], games)


@dataclass(frozen=True, slots=True)
class _Through:
    """Where a change begins and ends in one pool, in hundredths and games."""

    rating_before: int
    rating_after: int
    games_before: int
    games_after: int


def _through(why: Why | Correction, name: str) -> _Through:
    if why["type"] == "correction":
        given = why["mahjic"] if name == "mahjic" else why["verified"]
        games_after, games_before = given["games_after"], given["games_before"]
        before, change = centi(given["rating_before"]), centi(given["rating_change"])
    else:
        reason = why["mahjic"] if name == "mahjic" else why["verified"]
        games_before = reason["games_before"]
        games_after = games_before + (why["games_played"] if reason["counted"] else 0)
        before, change = centi(reason["rating_before"]), centi(reason["rating_change"])
    return _Through(before, before + change, games_before, games_after)


def _told(profile: Profile) -> tuple[float, int, float, int]:
    return (
        profile["rating"],
        profile["games"],
        profile["verified_rating"],
        profile["verified_games"],
    )
