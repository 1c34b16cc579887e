"""What the pages of a person's own rights are handed, beside the room that all own pages have."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Final, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from shared.errors import MahjicError
from shared.http.routes import handed_in

# What somebody without a player types to be sure, who has no Mahjic ID.
FORGET_WORDS: Final = "forget me"


class NotTheMahjicId(MahjicError):
    """What was typed to be sure is not what was asked for."""

    code = "not_the_mahjic_id"
    title = "That is not what was asked for"
    status = 422


class ForgetsPeople(Protocol):
    """Forgets whoever asks for it."""

    async def forget(self, login: Login, typed: str) -> None:
        """Erase the account of a login and all its players, in one transaction.

        `typed` is the Mahjic ID, or FORGET_WORDS of somebody without one. Raises LoginNotFresh, and
        NotTheMahjicId before anything is erased. Of an account that is gone already nothing is
        left to do.
        """
        ...


class TellsEverything(Protocol):
    """Tells whoever asks for it everything that is stored about them."""

    async def everything(self, login: Login) -> AsyncIterator[bytes]:
        """Return one JSON document, in pieces that are made as they are sent.

        Raises LoginNotFresh and ServiceUnavailable before the first of them.
        """
        ...


@dataclass(frozen=True, slots=True)
class RightsDesk:
    """What these pages are handed."""

    forgetting: ForgetsPeople
    downloads: TellsEverything


Rights: TypeAlias = Annotated[RightsDesk, handed_in(RightsDesk)]
