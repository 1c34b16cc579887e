"""The public logs as those have them who read: in a folder, or nowhere."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.transparency.folder import TransparencyFolder
from services.transparency.origin_folder import OriginFolder
from services.transparency.refusals import NoPublicLog
from shared.tlog.leaves import LogName


@dataclass(frozen=True, slots=True)
class PublicLogs:
    """The public logs: their folder, if there is one, and the witnesses as settings name them."""

    folder: TransparencyFolder | None
    witnesses: Sequence[str] = ()

    def is_there(self) -> bool:
        """Return whether there are any."""
        return self.folder is not None and self.folder.is_made()

    def there(self) -> TransparencyFolder:
        """Return their folder. Raises NoPublicLog."""
        if self.folder is None or not self.folder.is_made():
            raise NoPublicLog
        return self.folder

    def current(self, log_name: LogName) -> OriginFolder:
        """Return the public log of a log. Raises NoPublicLog."""
        return self.there().current(log_name)
