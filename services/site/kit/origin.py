"""Where people find this site. Links to it never use what a request calls its host."""


class Origin:
    """The origin of the site: as the operator set it, or this machine and the port it serves on."""

    def __init__(self, public_url: str | None, port: int) -> None:
        self._public_url = public_url
        self._port = port

    def bind(self, port: int) -> None:
        """Take the port that was found, when any free one would do."""
        self._port = port

    @property
    def url(self) -> str:
        """The origin, without a slash at its end."""
        return self._public_url or f"http://localhost:{self._port}"
