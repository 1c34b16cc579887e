"""A letter as the outbox takes it: to whom, what it says twice, and whether it was asked for.

Pure. What is in a letter is seen by nobody but its reader: no log and no error shows it.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

# How long a mail is tried, unless it is good for less.
TRIED_FOR: Final = timedelta(days=2)
# Mail programs show some 60 characters of a subject; RFC 5322 (2.1.1) ends a line at 998.
SUBJECT_CHARACTERS_MAX: Final = 150
_KIND: Final = re.compile(r"[a-z]+(_[a-z]+)*")
# Controls, also those that end a line, and the two line breaks that hardly any program treats as
# such.
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail to one person, whose address is in its one form (`shared/addresses.py`).

    `kind` is what may be shown and counted ("proof", "rated"). A letter that nobody asked for has
    the address of the page that ends such mail. After `good_for` there is no use in sending it.
    """

    kind: str
    address: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str = field(repr=False)
    is_asked_for: bool
    no_more_url: str | None = field(default=None, repr=False)
    good_for: timedelta = TRIED_FOR

    def __post_init__(self) -> None:
        assert _KIND.fullmatch(self.kind), "A kind is a plain word, which is shown and counted."
        assert not _UNSEEN.search(self.address), "The address must be in its one form."
        assert self.subject == subject_line(self.subject), "Make the subject with subject_line."
        assert self.is_asked_for or self.no_more_url is not None, "Say how to end mail like this."
        assert timedelta(0) < self.good_for <= TRIED_FOR


def subject_line(text: str) -> str:
    """Return a text as the subject of a mail: one line, and not longer than anyone reads."""
    line = " ".join(_UNSEEN.sub(" ", text).split())
    if len(line) <= SUBJECT_CHARACTERS_MAX:
        return line
    return line[: SUBJECT_CHARACTERS_MAX - 1].rstrip() + "…"
