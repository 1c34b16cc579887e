"""Makes what the staff desk stands on, from what a process is made of."""

from collections.abc import Callable

from services.people.answering import AnswersTold
from services.ports import accounts_of, door_of
from services.projections.sessions.told import last_answered_on
from services.site.staff.at_staff import StaffRoom
from services.staffing.disputes import StaffDisputes
from services.staffing.mails import StaffMails
from services.staffing.sources import StaffSources
from services.staffing.standing import StaffParts
from services.wiring import Service


def staff_room(s: Service, *, is_open: Callable[[], bool] = lambda: True) -> StaffRoom:
    """Return what the staff desk stands on; what it changes is written while the recorder runs."""
    accounts = accounts_of(s.process, s.recording)
    return StaffRoom(
        door=door_of(s.process, s.recording, is_open),
        sources=StaffSources(accounts),
        disputes=StaffDisputes(accounts, AnswersTold(accounts)),
        mails=StaffMails(accounts),
        parts=StaffParts(accounts, s.logs, last_answered_on(s.logs.verdicts)),
    )
