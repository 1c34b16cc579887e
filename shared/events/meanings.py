"""What every field of a record means, in words, for those who follow the logs."""

from collections.abc import Mapping
from typing import Final

_ENVELOPE: Final = {
    "specversion": "The version of CloudEvents.",
    "time": "When the fact was accepted, in UTC; a verdict has the time of the fact it answers.",
    "datacontenttype": "What `data` is.",
}

ENVELOPE_MEANINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "facts": {
        **_ENVELOPE,
        "id": (
            "The record's `seq` on the log of facts. Together with `source` it is unique forever."
        ),
        "type": "The kind of fact and its version.",
        "source": "The log: `/logs/LOG_ID/facts`.",
        "subject": "What the fact is about: a session, a player or a formula.",
        "data": "The fact itself.",
    },
    "verdicts": {
        **_ENVELOPE,
        "id": "`fact_seq.part`. Together with `source` it is unique forever.",
        "type": "The kind of verdict and its version.",
        "source": "The log: `/logs/LOG_ID/verdicts`.",
        "subject": "The subject of the fact that it answers.",
        "data": "Which fact is answered and with what, then the verdict itself.",
    },
}

MEANINGS: Final[Mapping[str, str]] = {
    # Sessions.
    "session_id": "The session. In `fact-refused` it is null if none could be read.",
    "source": "The slug of the source that sent the session.",
    "session_date": "The day on which it was played, as the source gave it.",
    "game_type": "In social sessions, points do not count and are left out.",
    "rounds": "The rounds, in the order played.",
    "new_players": "The players that this session created, in order of appearance.",
    # Rounds as played. Every column has one place per seat, in the order of `players`.
    "games_played": "How many games the round had.",
    "wall_games": "How many of them no one won.",
    "players": "The ids of the players, one per seat; `BOB` is the imaginary fourth.",
    "mahjongs": "How many games each seat won.",
    "points_centi": "The points of each seat in hundredths; left out in social sessions.",
    # Rounds as rated.
    "rating_before": "The rating before the round or the correction, in hundredths.",
    "rating_change": "What it added to the rating, in hundredths.",
    "games_before": "The games that counted before.",
    "games_after": "The games that count after.",
    "is_verified": "1 for each seat whose player is verified, else 0.",
    "verified_rating_before": "The rating among verified players before, in hundredths.",
    "verified_rating_change": (
        "What was added to it. A round adds 0 for seats that are not verified, and for all when "
        "fewer than two are."
    ),
    "verified_games_before": "The games among verified players that counted before.",
    "verified_games_after": "The games among verified players that count after.",
    "played_as": (
        "The ids that the fact uses for the seats, if one of them was merged into another; "
        "otherwise left out."
    ),
    # Corrections. Every column has one place per player, in the order of `players`.
    "session_ids": "The sessions that are left out, 1 to 10,000, as if they had never been played.",
    "corrects": "The session that is left out; the new one takes its place in the order.",
    "session": (
        "The new session; in a verdict, as rated in its place. It is null if there is none, "
        "and in all parts but the first."
    ),
    "moved": "How many players' ratings or counts changed, over all parts.",
    # Players and formulas.
    "player_id": "The player.",
    "into": "The player who gets everything of `player_id` from here on.",
    "merged_into": "The player that `player_id` had been merged into.",
    "from": "The player whose seats they were.",
    "to": "The player whose seats they are, as if it had always been so.",
    "sessions": "The sessions in which the seats are another's, 1 to 1,000, each once.",
    "reseated": (
        "The seats that were reassigned, by session; left out if there are none, and in all parts "
        "but the first."
    ),
    "round_numbers": "The round of each seat that was reassigned, from 1.",
    "seats": "The place of each at its table, from 0.",
    "was": "The id that sat there before.",
    "now": "The id that sits there from here on.",
    "left": "Those who no longer sit in any round of the session.",
    "joined": "Those who sat in no round of the session before.",
    "since": "The formula applies to everything that was played.",
    "formula": "The formula in use, by name and version.",
    "parameters": "The numbers of the formula.",
    "proposal": "The number of the proposal that led to it; left out if there was none.",
    # What a verdict answers.
    "fact_seq": "The `seq` of the fact that is answered.",
    "fact_chain": "The `chain` of that fact, which stands for all facts up to it.",
    "part": "Which part of the answer this is, from 1.",
    "parts": "How many parts the answer has; a fact counts as answered with the last one.",
    "engine": "A digest of the program that computed it; the same one gives the same bytes again.",
    # The fact behind a verdict.
    "fact_type": "The type of the fact that is answered.",
    "data": (
        "The data of that fact, as on the log of facts. In `ratings-corrected` without the new "
        "session, and empty in all parts but the first."
    ),
    "reason": (
        "A code: why a session was voided or corrected, or what is wrong with a refused record."
    ),
}
