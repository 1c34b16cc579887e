"""What one session may hold (spec 4): the same for a claim in JSON, a score sheet and scored games.

Each limit is stated here and nowhere else; the OpenAPI document takes them from here as well.
"""

from typing import Final

SEATS_MIN: Final = 2
SEATS_MAX: Final = 4
ROUNDS_MAX: Final = 100
GAMES_MAX: Final = 200
POINTS_MAX: Final = 1_000_000
FIRST_YEAR: Final = 1900

REF_CHARACTERS_MAX: Final = 64
DATE_CHARACTERS_MAX: Final = 40
SOURCE_CHARACTERS_MAX: Final = 100
NOTE_CHARACTERS_MAX: Final = 500
# An Idempotency-Key as it is sent: quoted, and with its characters escaped.
KEY_SENT_CHARACTERS_MAX: Final = 600
# A name as it is stored. As sent, it may have extra spaces and marks.
NAME_CHARACTERS_MAX: Final = 80
# For a text that names a player, with extra spaces, prefixes and marks. The accents of a longer
# text are not put in order, since that takes the square of their number.
TEXT_CHARACTERS_MAX: Final = 400
