"""What every page of the staff desk stands on: who of the staff asks, looked up with each request.

Anyone who is not on the staff, or no longer is, finds nothing here, as at an address that does not
exist.
"""

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from starlette.responses import Response

from services.accounts.logging_in.logins import Login, Role, check_fresh, check_whole
from services.site.kit.pages import PageHead, SitePages
from services.site.kit.words import _
from services.site.login.door import LoginDoor
from services.site.staff.changes import FormulasAtStaff, MergesAtStaff, VoidsAtStaff
from services.site.staff.players_at_staff import PlayersAtStaff
from services.site.staff.staff_links import tabs_for
from services.site.staff.verified.verified_at_staff import VerifiedAtStaff
from services.site.staff.works import (
    DisputesAtStaff,
    MailsAtStaff,
    PartsAtStaff,
    SourcesAtStaff,
)
from shared.errors import MahjicError, NotFound
from shared.http.routes import handed_in

STAFF_PATH: Final = "/staff"


class OperatorsOnly(MahjicError):
    """A reviewer asks for what only operators may do."""

    code = "operators_only"
    title = "Only an operator can do this"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            _(
                "You are a reviewer of applications, and this page is for operators only. "
                "Nothing was changed."
            )
        )


@dataclass(frozen=True, slots=True)
class StaffRoom:
    """What these pages are handed."""

    door: LoginDoor
    sources: SourcesAtStaff
    disputes: DisputesAtStaff
    mails: MailsAtStaff
    parts: PartsAtStaff
    players: PlayersAtStaff
    verified: VerifiedAtStaff
    merges: MergesAtStaff
    voids: VoidsAtStaff
    formulas: FormulasAtStaff

    def check_may(self, login: Login, needs: Role) -> None:
        """Check that somebody may do what a role may.

        Raises OnlyFirstPasskey, NotFound for whoever is no staff, or OperatorsOnly.
        """
        check_whole(login)
        if login.role is None:
            raise NotFound("There is nothing at this address.")
        if needs == "operator" and login.role != "operator":
            raise OperatorsOnly

    def check_fresh(self, login: Login) -> None:
        """Check that somebody logged in lately enough for what hurts. Raises LoginNotFresh."""
        check_fresh(self.door.accounts, login)


@dataclass(frozen=True, slots=True)
class AtStaff:
    """Somebody of the staff, as of this request, and what pages are made with."""

    login: Login
    room: StaffRoom
    site: SitePages

    @property
    def is_fresh(self) -> bool:
        """Whether they logged in lately enough for what hurts."""
        return self.login.is_fresh(self.room.door.accounts.chance.now())

    def page(
        self,
        template: str,
        *,
        title: str,
        tab: str,
        words: str = "",
        status: int = 200,
        **shown: object,
    ) -> Response:
        """Answer with a page of the staff desk; `tab` is the path of the tab it belongs to."""
        shown |= {
            "staff_tabs": tabs_for(is_operator=self.login.role == "operator"),
            "staff_path": STAFF_PATH,
            "tab": tab,
            "is_fresh": self.is_fresh,
        }
        head = PageHead.unlisted(title, words)
        return self.site.personal(template, head, status=status, current="me", **shown)


StaffRoomPort: TypeAlias = Annotated[StaffRoom, handed_in(StaffRoom)]
