"""Reads the answers that programs get as what a desk shows, with people by the club's own names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from services.desks.own_list import bare, shown
from services.ingest.claim.checks import POINTS_SUM
from services.site.desk.night.nights import RatingMove, SeatResult, TableResult, TriedNight
from services.site.desk.night.roster import BOB
from services.site.kit.words import _
from shared.answers.seen import ERASED, NOT_SHOWN
from shared.answers.trials import TrialAnswer
from shared.errors import ClaimRefused, MahjicError

SOMEBODY: Final = _("Somebody who is no longer on record")
# What a claim that is read back says of people without an address, and of those it may not name.
_UNNAMED: Final = {ERASED: SOMEBODY, NOT_SHOWN: _("Somebody whom your club has never named")}
# What a trial says about sessions of the source's own.
_SIMILAR: Final = "similar_round"
_SAME: Final = frozenset({"already_recorded", "session_voided", "session_corrected"})
_WORDS: Final = {
    POINTS_SUM: _("The points of a round don’t add up to zero. That may be right."),
    "similar_round": _(
        "Another club has sent a round of this day with the same people. If both of you entered "
        "the same table, one of you should leave it out."
    ),
}

# Why others' sessions keep a night out. Whoever is told that may know no more about them.
_REFUSED: Final = {
    "duplicate_session": _(
        "Another club has sent a round of this night already, with the same people and the same "
        "results. Nothing was recorded. If it really was played again, send it all the same."
    ),
    "too_many_foreign_hits": _(
        "Nights of your club were refused too often since yesterday because of what others have "
        "sent. Nothing was recorded. Try again tomorrow, or ask the people who run "
        "this site."
    ),
}


def tried_night(
    tried: TrialAnswer | MahjicError,
    labels: Mapping[str, str],
    place_of: Callable[[str], str] = lambda _pointer: "",
) -> TriedNight:
    """Return what a trial says, or the refusal that it ended with.

    `place_of` says where a part of the claim was found, before what is odd there.
    """
    if isinstance(tried, MahjicError):
        return TriedNight(similar=sessions_in(tried), refusal=refusal_words(tried))
    own = [(each["code"], each.get("session_id")) for each in tried["warnings"]]
    return TriedNight(
        moves=moves_of(tried, labels),
        similar=_unique(each for code, each in own if code == _SIMILAR and each),
        same=next((each for code, each in own if code in _SAME and each), None),
        notes=_unique(
            place_of(each["pointer"]) + _WORDS.get(each["code"], each["message"])
            for each in tried["warnings"]
            if not each.get("session_id")
        ),
    )


def sessions_in(refused: MahjicError) -> Sequence[str]:
    """Return the sessions of the source's own that a refusal names."""
    rounds = refused.extra.get("rounds", ())
    night = refused.extra.get("night", {}).get("session_ids", ())
    return _unique([*night, *(each["session_id"] for each in rounds if each.get("session_id"))])


def refusal_words(refused: MahjicError) -> str:
    """Return why a night is not recorded."""
    if isinstance(refused, ClaimRefused):
        return " ".join(_unique(each.message for each in refused.mistakes))
    return _REFUSED.get(refused.code, refused.detail)


def moves_of(told: Mapping[str, Any], labels: Mapping[str, str]) -> Sequence[RatingMove]:
    """Return who moves from where to where, in order of first appearance; Bob never does."""
    return [
        RatingMove(
            label_of(each["player"], labels),
            each["rating_before"],
            each["rating_after"],
            each["rating_change"],
            each["is_new_player"],
            each["mahjic_id"],
        )
        for each in told["results"]
        if each["player_id"] != BOB.player_id
    ]


def loaded(rounds: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> Sequence[TableResult]:
    """Return what was played, table by table."""
    return [
        TableResult(
            each["games_played"],
            each["wall_games"],
            [
                SeatResult(label_of(seat["player"], labels), seat["mahjongs"], seat["points"])
                for seat in each["results"]
            ],
        )
        for each in rounds
    ]


def claimed_tables(claim: Mapping[str, Any], labels: Mapping[str, str]) -> Sequence[TableResult]:
    """Return what a claim says was played, table by table."""
    return [
        TableResult(
            each["players"][0]["games_played"],
            each["wall_games"],
            [
                SeatResult(label_of(seat["email"], labels), seat["mahjongs"], seat.get("points"))
                for seat in each["players"]
            ],
        )
        for each in claim["rounds"]
    ]


def label_of(sent: str | None, labels: Mapping[str, str]) -> str:
    """Return what the club calls somebody, by what it sent."""
    if sent is None:
        return SOMEBODY
    return _UNNAMED.get(sent) or labels.get(bare(sent), shown(sent))


def _unique(several: Any) -> Sequence[str]:  # noqa: ANN401
    return list(dict.fromkeys(several))
