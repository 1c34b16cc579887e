"""What every field of a record means, in words, for whoever follows the logs."""

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
        "id": "The record's `seq` on the log of facts. With `source` it is unique for ever.",
        "type": "The kind of fact and its version.",
        "source": "The log: `/logs/LOG_ID/facts`.",
        "subject": "What the fact is about: a session, a player or a formula.",
        "data": "The fact itself.",
    },
    "verdicts": {
        **_ENVELOPE,
        "id": "`fact_seq.part`. With `source` it is unique for ever.",
        "type": "The kind of verdict and its version.",
        "source": "The log: `/logs/LOG_ID/verdicts`.",
        "subject": "The subject of the fact that it answers.",
        "data": "Which fact is answered and with what, then the verdict itself.",
    },
}

MEANINGS: Final[Mapping[str, str]] = {
    # Sessions.
    "session_id": "The session. In `fact-refused` it is null where none could be read.",
    "source": "The slug of the source that sent the session.",
    "session_date": "The day on which it was played, as the source gave it.",
    "game_type": "In social sessions points do not count, and are left out.",
    "rounds": "The rounds, in the order played.",
    "new_players": "The players that this session created, in order of appearance.",
    # Rounds as played. Every column has one place per seat, in the order of `players`.
    "games_played": "How many games the round had.",
    "wall_games": "How many of them nobody won.",
    "players": "The players by their ids, a seat each; `BOB` is the imaginary fourth.",
    "mahjongs": "How many games each seat won.",
    "points_centi": "The points of each seat in hundredths; left out in social sessions.",
    # Rounds as rated.
    "rating_before": "The rating of each seat before the round, in hundredths.",
    "rating_change": "What the round added to it, in hundredths.",
    "games_before": "The games that each seat had played before the round.",
    "games_after": "The games that each seat has played after the round.",
    "is_verified": "1 for each seat whose player is verified, else 0.",
    "verified_rating_before": "The rating among verified players before the round, in hundredths.",
    "verified_rating_change": (
        "What the round added to it; 0 for seats that are not verified, and for all when fewer "
        "than two are."
    ),
    "verified_games_before": "The games among verified players before the round.",
    "verified_games_after": "The games among verified players after the round.",
    # Players and formulas.
    "player_id": "The player.",
    "formula": "The formula that holds, by name and version.",
    "parameters": "The numbers of the formula.",
    # What a verdict answers.
    "fact_seq": "The `seq` of the fact that is answered.",
    "fact_chain": "The `chain` of that fact, which stands for all facts up to it.",
    "part": "Which part of the answer this is, from 1.",
    "parts": "How many parts the answer has; a fact counts as answered with the last one.",
    "engine": "A digest of the program that computed it; the same one gives the same bytes again.",
    # Facts that moved nobody.
    "fact_type": "The type of the fact that was noted.",
    "data": "The data of that fact, as they stand on the log of facts.",
    "reason": "The code of what is wrong with the record.",
}
