"""What entries and rounds at a table may be, each with its reason."""

from typing import Final

# An entry that confirms a round names each game and penalty of it, some 60 ids.
ENTRY_BYTES_MAX: Final = 2_048
# An evening has some four rounds; who plays all day and night has fewer than this.
ROUNDS_MAX: Final = 60
GAMES_MAX: Final = 40
PENALTIES_OF_ROUND_MAX: Final = 20
# Those that were taken back are among them.
PENALTIES_LOOKED_AT_MAX: Final = 100
PEOPLE_MAX: Final = 200
# All that one phone saw standing for a game; eight phones may have entered it, and been changed.
REPLACES_MAX: Final = 64
# A phone confirms the games of a round and its penalties, which are fewer.
STANDS_MAX: Final = 64
DEVICES_MAX: Final = 1_000
COUNT_MAX: Final = 1_000_000
# A million points, in hundredths.
POINTS_CENTI_MAX: Final = 100_000_000
# Different answers that are told in full; somebody decides between two or three.
ANSWERS_TOLD_MAX: Final = 10
