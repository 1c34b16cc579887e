"""Talks to a running service over HTTP, and says in sentences what goes wrong in between."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from services.cli.terminal.options import InvalidSettings
from shared.errors import MahjicError
from shared.ids import is_api_key
from shared.settings import Settings

Answer = TypeVar("Answer")

CONNECT_S_MAX: Final = 5.0
ANSWER_S_MAX: Final = 15.0
JSON: Final = "application/json"
PROBLEM_JSON: Final = "application/problem+json"


class ServiceUnreachable(MahjicError):
    """There is no answer at the service's address."""

    code = "service_unreachable"
    title = "The service cannot be reached"
    status = 503

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            f"{place} cannot be reached: {reason}. Start it with `mahjic serve`, or say where "
            "it is with MAHJIC_URL, or with MAHJIC_PORT if it is on this machine."
        )


class ServiceRefused(MahjicError):
    """The service answered with a problem; the command shows the problem's own code."""

    code = "service_refused"
    title = "The service refused the request"

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title")), extra=problem)
        self._problem_code = str(problem.get("code") or self.code)

    @property
    def told_code(self) -> str:
        """The code of the problem."""
        return self._problem_code

    def saying(self, *words: tuple[str, str]) -> "ServiceRefused":
        """Return the same error with words of the interface replaced by those of a command."""
        detail = self.detail
        for theirs, ours in words:
            detail = detail.replace(theirs, ours)
        return ServiceRefused({**self.extra, "detail": detail})


class UnexpectedAnswer(MahjicError):
    """Whatever answered is not Mahjic, or is a different version."""

    code = "unexpected_answer"
    title = "The answer is not from Mahjic"

    def __init__(self, place: str, what: str) -> None:
        super().__init__(
            f"{place} answered {what}. Check that MAHJIC_URL is the address of a Mahjic service "
            "of the same version as this command."
        )


class ServiceClient:
    """A running service, as its clients see it."""

    def __init__(self, http: httpx.Client, key: str | None) -> None:
        self._http = http
        self._key = key
        # Without the name and password that an address may hold.
        self.place = f"{http.base_url.scheme}://{http.base_url.netloc.decode()}"

    def get(self, path: str, **parameters: str | int | None) -> bytes:
        """Return the JSON at a path, as the public sees it. Raises the three errors above."""
        given = {name: value for name, value in parameters.items() if value is not None}
        return self.content(self._send(self._http.build_request("GET", path, params=given)))

    def get_own(self, path: str, **parameters: str | int | None) -> bytes:
        """Return the JSON at a path as the key's owner sees it; raises the same as `get`."""
        given = {name: value for name, value in parameters.items() if value is not None}
        headers = {"Authorization": self.authorization}
        request = self._http.build_request("GET", path, params=given, headers=headers)
        return self.content(self._send(request))

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, wait_s: float
    ) -> httpx.Response:
        """Send a body as the key's owner and return the answer, whatever it says.

        It is JSON, unless the headers give another type.
        `wait_s` is how much longer than usual the service may take. Raises ServiceUnreachable.
        """
        return self._send(self._written("POST", path, body, headers, wait_s))

    def put(self, path: str, body: bytes) -> bytes:
        """Change what is at a path, as the key's owner; raises the same as `get`."""
        return self.content(self._send(self._written("PUT", path, body, {}, 0)))

    def check_key(self) -> None:
        """Check that there is a key to send anything with. Raises InvalidSettings."""
        if self._key is None:
            raise InvalidSettings("MAHJIC_KEY: Set it to an API key to send anything.")

    def address(self, path: str) -> httpx.URL:
        """Return the URL of a path, for callers with a connection of their own."""
        return self._http.build_request("POST", path).url

    @property
    def authorization(self) -> str:
        """The header value that proves who is sending. Raises InvalidSettings."""
        self.check_key()
        return f"Bearer {self._key}"

    def content(self, response: httpx.Response) -> bytes:
        """Return the JSON of an answer. Raises ServiceRefused or UnexpectedAnswer."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if response.is_success and kind == JSON:
            return response.content
        if response.is_error and kind == PROBLEM_JSON:
            raise ServiceRefused(self._problem(response))
        raise UnexpectedAnswer(self.place, f"{response.status_code} with {kind or 'nothing'}")

    def read(self, kind: type[Answer], content: bytes) -> Answer:
        """Return an answer as a model. Raises UnexpectedAnswer."""
        try:
            return TypeAdapter(kind).validate_json(content)
        except ValidationError as error:
            place = ".".join(str(step) for step in error.errors()[0]["loc"])
            what = f"something other than what was asked for ({place}: {error.errors()[0]['msg']})"
            raise UnexpectedAnswer(self.place, what) from error

    def _written(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], wait_s: float
    ) -> httpx.Request:
        return self._http.build_request(
            method,
            path,
            content=body,
            headers={"Content-Type": JSON, **headers, "Authorization": self.authorization},
            timeout=httpx.Timeout(ANSWER_S_MAX + wait_s, connect=CONNECT_S_MAX),
        )

    def _problem(self, response: httpx.Response) -> dict[str, Any]:
        try:
            problem = response.json()
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            raise UnexpectedAnswer(self.place, f"{response.status_code} with a broken problem")
        return problem

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._http.send(request)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise ServiceUnreachable(self.place, reason.rstrip(".")) from error
        except (httpx.TooManyRedirects, httpx.DecodingError) as error:
            raise UnexpectedAnswer(
                self.place, f"with something that cannot be read ({error})"
            ) from error


def path_of(*parts: str) -> str:
    """Return a path from parts, escaped so that no part can change the path."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


@contextmanager
def open_service(settings: Settings) -> Iterator[ServiceClient]:
    """Give the service that the settings name, as the owner of MAHJIC_KEY if there is one."""
    key = None if settings.key is None else settings.key.get_secret_value().strip()
    if key is not None and not is_api_key(key):
        raise InvalidSettings(
            "MAHJIC_KEY: It must be an API key: mjk_, or mjt_ for a sandbox, followed by 43 "
            "letters and digits, and nothing else."
        )
    try:
        url = httpx.URL(settings.service_url.strip().rstrip("/"))
    except httpx.InvalidURL as error:
        raise InvalidSettings(f"MAHJIC_URL: It is not an address: {error}.") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidSettings("MAHJIC_URL: It must be an address like https://mahjic.example.")
    timeout = httpx.Timeout(ANSWER_S_MAX, connect=CONNECT_S_MAX)
    with httpx.Client(base_url=url, timeout=timeout, follow_redirects=True) as http:
        yield ServiceClient(http, key)
