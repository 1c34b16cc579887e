"""The numbers in which the formulas of the family of pairwise Elo differ, and files of them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from shared.errors import (
    MORE_MISTAKES,
    MORE_WORDS,
    MahjicError,
    Mistake,
    number_of_mistakes,
    told_mistakes,
)
from shared.json_text import NotJson, read_json

START_CENTI: Final = 150_000
NANO_PER_CENTI: Final = 10_000_000

# Within these limits nothing leaves 64 bits and a table of expected scores is built in seconds. A
# sum of three opponents stays below 3 * (1000 * 1e9 + 1e12) nano, which is 600,000 centi a round,
# so that ratings stay below 2^61 for 10^12 rounds; a lead of 2,000,000.00 points is 2e15 nano.
SCALE_CENTI: Final = range(1_000, 400_000 + 1)
K: Final = range(1, 1_000 + 1)
GAMES_MIN: Final = range(1_000_000_000 + 1)
BANDS_MAX: Final = 100
POINTS_PER_BONUS_POINT: Final = range(1, NANO_PER_CENTI + 1)
BONUS_MAX_NANO: Final = range(1_000_000_000_000 + 1)


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything a formula needs besides the function in formula.py.

    `k_bands` holds (games_min, k) in rising order from 0 games. A rating that is `scale_centi`
    ahead means ten wins for each loss. A lead of `points_per_bonus_point` points is worth one
    rating point, at most `bonus_max_nano`. With `is_scaled`, the sum over the opponents is divided
    by their number.
    """

    scale_centi: int
    k_bands: tuple[tuple[int, int], ...]
    points_per_bonus_point: int
    bonus_max_nano: int
    is_scaled: bool = False

    @property
    def bonus_nano_per_centi(self) -> int:
        """What a lead of a hundredth of a point at the table is worth, before the clamp."""
        return NANO_PER_CENTI // self.points_per_bonus_point


class ParametersRefused(MahjicError):
    """The parameter file does not make a formula; the error lists all the mistakes at once."""

    code = "parameters_refused"
    title = "These parameters do not make a formula"
    status = 422

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        assert mistakes, "A refusal names at least one mistake."
        self.mistakes = told_mistakes(mistakes, Mistake("", MORE_MISTAKES, MORE_WORDS))
        count = number_of_mistakes(self.mistakes)
        super().__init__(
            f"The parameters have {count[0].lower()}{count[1:]}. Correct what is listed, and try "
            "again.",
            extra={
                "errors": [
                    {"pointer": each.pointer, "code": each.code, "message": each.message}
                    for each in self.mistakes
                ]
            },
        )


def read_parameters(text: str) -> Parameters:
    """Return the parameters that a file holds as JSON, named as in the fact that adopts a formula.

    Raises ParametersRefused with every mistake found.
    """
    reading = _Reading()
    parameters = reading.parameters(text)
    if parameters is None or reading.mistakes:
        raise ParametersRefused(reading.mistakes)
    return parameters


class _Reading:
    """One reading of a file: notes every mistake and continues with what is right."""

    def __init__(self) -> None:
        self.mistakes: list[Mistake] = []

    def note(self, pointer: str, code: str, message: str) -> None:
        self.mistakes.append(Mistake(pointer, code, message))

    def parameters(self, text: str) -> Parameters | None:
        """Return what the text holds, where it can be read at all; mistakes are noted."""
        read = self._document(text)
        if self.mistakes:
            return None
        if not isinstance(read, dict):
            self.note(
                "", "wrong_type", ('The file does not have an object. Write {"scale_centi": ...}.')
            )
            return None
        self._refuse_unknown("", read, (*_REQUIRED, *_OPTIONAL))
        missing = [name for name in _REQUIRED if name not in read]
        for name in missing:
            self.note(f"/{name}", "missing", f"It is missing; mahjic-elo/1 has {_REQUIRED[name]}.")
        self._check_fixed(read)
        read_by: dict[str, Callable[[Any], Any]] = {
            "scale_centi": lambda value: self._whole("/scale_centi", value, SCALE_CENTI),
            "k_bands": self._k_bands,
            "points_per_bonus_point": self._points_per_bonus_point,
            "bonus_max_nano": lambda value: self._whole("/bonus_max_nano", value, BONUS_MAX_NANO),
            "is_scaled": self._is_scaled,
        }
        found = {name: read_by[name](read[name]) for name in read_by if name in read}
        return None if self.mistakes else Parameters(**found)

    def _document(self, text: str) -> object:
        try:
            document = read_json(text.encode(errors="surrogatepass"))
        except NotJson as wrong:
            if wrong.repeated_name is None:
                what = f"This is not JSON: {wrong}. Write one object as JSON."
                self.note("", "wrong_format", what)
            else:
                what = f"It is given twice, the second time in line {wrong.line}. Keep one."
                self.note(_pointer("", wrong.repeated_name), "invalid_value", what)
            return None
        if document.is_cut:
            self.note("", "too_many_values", document.odd_values()[0].message)
        return document.value

    def _refuse_unknown(self, pointer: str, read: dict[str, Any], known: Sequence[str]) -> None:
        for name in read:
            if name not in known:
                message = f"Unknown parameter. Leave it out; these are known: {', '.join(known)}."
                self.note(_pointer(pointer, name), "unknown_field", message)

    def _check_fixed(self, read: dict[str, Any]) -> None:
        """Check the values that a fact repeats, which are the same under every formula."""
        for name, fixed in _FIXED.items():
            if name in read and (type(read[name]) is not type(fixed) or read[name] != fixed):
                message = (
                    f"It is {json.dumps(fixed)} under every formula. Write that, or leave it out."
                )
                self.note(f"/{name}", "unknown_value", message)

    def _whole(self, pointer: str, value: object, allowed: range) -> int:
        """Return the value, or the least one allowed where it is wrong."""
        if type(value) is int and value in allowed:
            return value
        bounds = f"a whole number from {allowed[0]} to {allowed[-1]}"
        self.note(pointer, "out_of_range", f"It is {_shown(value)}. Write {bounds}.")
        return allowed[0]

    def _points_per_bonus_point(self, value: object) -> int:
        pointer = "/points_per_bonus_point"
        mistakes = len(self.mistakes)
        points = self._whole(pointer, value, POINTS_PER_BONUS_POINT)
        if len(self.mistakes) == mistakes and NANO_PER_CENTI % points:
            near = ", ".join(map(str, _divisors_near(points)))
            message = f"10000000 is not divisible by {points}. Write {near}, for example."
            self.note(pointer, "invalid_value", message)
        return points

    def _is_scaled(self, value: object) -> bool:
        if not isinstance(value, bool):
            self.note("/is_scaled", "wrong_type", f"It is {_shown(value)}. Write true or false.")
        return bool(value)

    def _k_bands(self, value: object) -> tuple[tuple[int, int], ...]:
        if not isinstance(value, list) or not 1 <= len(value) <= BANDS_MAX:
            message = f'Write 1 to {BANDS_MAX} bands like [{{"games_min": 0, "k": 32}}].'
            self.note("/k_bands", "invalid_value", message)
            return ()
        bands = [self._k_band(f"/k_bands/{at}", band) for at, band in enumerate(value)]
        if bands[0] is not None and bands[0][0] != 0:
            message = f"It is {bands[0][0]}. The first band starts at 0 games."
            self.note("/k_bands/0/games_min", "invalid_value", message)
        for at, (before, band) in enumerate(pairwise(bands), start=1):
            if before is not None and band is not None and band[0] <= before[0]:
                message = f"It is {band[0]}, after {before[0]}. Put the bands in ascending order."
                self.note(f"/k_bands/{at}/games_min", "invalid_value", message)
        return tuple(band for band in bands if band is not None)

    def _k_band(self, pointer: str, value: object) -> tuple[int, int] | None:
        """Return a band as (games_min, k), or None where it is unknown where it begins."""
        if not isinstance(value, dict) or not {"games_min", "k"} <= value.keys():
            message = f'It is {_shown(value)}. Write a band like {{"games_min": 0, "k": 32}}.'
            self.note(pointer, "wrong_type", message)
            return None
        self._refuse_unknown(pointer, value, ("games_min", "k"))
        mistakes = len(self.mistakes)
        games_min = self._whole(f"{pointer}/games_min", value["games_min"], GAMES_MIN)
        is_known = len(self.mistakes) == mistakes
        k = self._whole(f"{pointer}/k", value["k"], K)
        return (games_min, k) if is_known else None


_REQUIRED: Final = {
    "scale_centi": "40000",
    "k_bands": '[{"games_min": 0, "k": 32}, ...]',
    "points_per_bonus_point": "50",
    "bonus_max_nano": "5000000000",
}
_FIXED: Final[dict[str, object]] = {"start_centi": START_CENTI, "rounding": "half-even"}
_OPTIONAL: Final = ("is_scaled", *_FIXED)


def _divisors_near(points: int) -> list[int]:
    """Return the nearest divisors of a centi below and above."""
    divisors = [2**twos * 5**fives for twos in range(8) for fives in range(8)]  # Of 10,000,000.
    below = max(each for each in divisors if each < points)
    return [below, min(each for each in divisors if each > points)]


def _pointer(before: str, name: str) -> str:
    """Return the JSON pointer of a field by its name, of which the beginning is enough."""
    return f"{before}/" + name[:40].replace("~", "~0").replace("/", "~1")  # RFC 6901.


def _shown(value: object) -> str:
    """Return a value as JSON, cut to what fits into a line."""
    text = json.dumps(value, default=float)
    return text if len(text) <= 40 else f"{text[:37]}..."
