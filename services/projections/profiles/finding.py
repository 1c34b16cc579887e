"""Finds players for people who type: by name, by the beginning of a name, or by Mahjic ID."""

from typing import Final

from services.projections.answering.merged import read_survivor
from services.projections.answering.reading import ViewReader
from services.projections.profiles.answers import FindAnswer
from services.projections.profiles.reads import answer_search
from services.projections.search.queries import ID_PREFIX, LETTERS_MIN, WORDS_CHARACTERS_MAX
from shared.characters import forbidden_in_label, is_word
from shared.errors import InvalidParameter
from shared.ids import MistypedPlayerIdError, read_player_id

FOUND_DEFAULT: Final = 20
_ID_CHARACTERS: Final = len("MJ-7K3Q9XZM")


class WordsNotSearched(InvalidParameter):
    """The words cannot be the beginning of a name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__([{"pointer": "/query/q", "code": code, "message": message}])


async def answer_find(reader: ViewReader, words: str, limit: int) -> FindAnswer:
    """Return the public players that words may mean. Raises WordsNotSearched, SearchTakesTooLong.

    The order of the words does not matter, nor do case and accents. A merged id finds the player
    that it is merged into.
    """
    words = words.strip()
    _check(words)
    sought, mistyped = words, None
    if words.upper().startswith(ID_PREFIX) and len(words) >= _ID_CHARACTERS:
        try:
            player_id = read_player_id(words)
        except MistypedPlayerIdError as error:
            mistyped = str(error)
        else:
            sought = await read_survivor(reader, player_id) or player_id
    answer = await answer_search(reader, sought, limit)
    return {**answer, "q": words, "mistyped": mistyped}


def _check(words: str) -> None:
    if len(words) > WORDS_CHARACTERS_MAX:
        raise WordsNotSearched(
            "string_too_long", f"Type at most {WORDS_CHARACTERS_MAX} characters of the name."
        )
    if (odd := forbidden_in_label(words)) is not None:
        raise WordsNotSearched(
            "forbidden_character", f"A name cannot have {odd}. Type the name again."
        )
    if len(words) < LETTERS_MIN and not is_word(words):
        raise WordsNotSearched(
            "string_too_short",
            f"Type at least {LETTERS_MIN} letters of the name, or the Mahjic ID.",
        )
