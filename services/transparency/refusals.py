"""What can be wrong with a public log, as errors that say what to do."""

from pathlib import Path

from shared.errors import MahjicError


class NoPublicLog(MahjicError):
    """This installation keeps no public log, or not this one."""

    code = "no_public_log"
    title = "There is no public log here"
    status = 404

    def __init__(self, detail: str = "This installation keeps no public log.") -> None:
        super().__init__(detail)


class PublicLogMisplaced(MahjicError):
    """The folder of the public logs is not what the settings say, or not whole."""

    code = "public_log_misplaced"
    title = "The folder of the public logs is not as it must be"
    exit_code = 2


class PublicLogFolderTrouble(MahjicError):
    """The folder of the public logs cannot be written."""

    code = "public_log_folder_trouble"
    title = "The folder of the public logs cannot be written"
    exit_code = 2

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(
            f"{folder} cannot be written: {error.strerror or error}. Choose another folder with "
            "MAHJIC_TRANSPARENCY, or let this account write to it."
        )


class PublicLogThere(MahjicError):
    """A folder already holds public logs, which nothing may overwrite."""

    code = "public_log_there"
    title = "There are public logs here already"
    exit_code = 2


class PublicLogHeld(MahjicError):
    """A running process keeps the public logs."""

    code = "public_log_held"
    title = "A process is keeping these public logs"
    exit_code = 2


class PublicLogGoesOn(MahjicError):
    """The public logs were to be ended, but nothing is wrong with them."""

    code = "public_log_goes_on"
    title = "Nothing is wrong with these public logs"
    exit_code = 2
