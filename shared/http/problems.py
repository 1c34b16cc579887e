"""Answers every error as problem details (RFC 9457), and never says more than the caller may know.
What went wrong on our side is logged with the request's id, and the caller gets only that id.
"""

import asyncio
import errno
from collections.abc import Sequence
from typing import Annotated, Final, NotRequired, cast

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, Field, with_config
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import TypedDict

from shared.errors import InternalError, InvalidParameter, MahjicError, NotFound
from shared.http.layer import HttpLayer
from shared.http.requests import methods_at, request_id_of
from shared.mistakes import mistakes_in_parameters

ERRORS_PAGE: Final = "https://mahjic.org/docs/errors"
PROBLEM_JSON: Final = "application/problem+json"
# A chain of causes may be circular.
_CAUSES_MAX: Final = 20
# Problems may have members that no one listed; what is inside them does not.
MORE_MEMBERS: Final = ConfigDict(extra="allow")
NO_MORE_MEMBERS: Final = ConfigDict(extra="ignore")


@with_config(NO_MORE_MEMBERS)
class ProblemMistake(TypedDict):
    """One mistake, and where it is."""

    pointer: Annotated[
        str,
        Field(
            description=(
                "JSON pointer (RFC 6901) into the body, or /query/..., /path/..., /header/..."
            )
        ),
    ]
    code: Annotated[str, Field(description="Stable name for this kind of mistake.")]
    message: Annotated[str, Field(description="An explanation for people.")]


@with_config(MORE_MEMBERS)
class AnyProblem(TypedDict):
    """What all problem details have."""

    type: Annotated[str, Field(description="The page that explains this code.")]
    title: Annotated[str, Field(description="The kind of problem, in words that never change.")]
    status: Annotated[int, Field(ge=400, le=599)]
    detail: Annotated[str, Field(description="What was wrong here, and what to do about it.")]
    code: Annotated[str, Field(description="Stable name for this kind of problem.")]
    instance: Annotated[str, Field(description="The id of this request, to give to the operator.")]


@with_config(MORE_MEMBERS)
class Problem(AnyProblem):
    """Problem details (RFC 9457). Problems may have further members."""

    errors: NotRequired[
        Annotated[
            list[ProblemMistake],
            Field(description="Every mistake found, when there can be several."),
        ]
    ]


class NotAuthenticated(MahjicError):
    """The request needs an API key, and has none or an unknown one."""

    code = "not_authenticated"
    title = "A valid API key is needed"
    status = 401

    def __init__(self, detail: str, *, key_was_sent: bool = False) -> None:
        challenge = 'Bearer realm="mahjic"'
        if key_was_sent:
            challenge += ', error="invalid_token"'
        super().__init__(detail, headers={"WWW-Authenticate": challenge})


class NotAllowed(MahjicError):
    """The API key is valid, but may not do this."""

    code = "not_allowed"
    title = "This API key may not do that"
    status = 403


class BadRequest(MahjicError):
    """The request can't be read as HTTP."""

    code = "bad_request"
    title = "The request cannot be read"
    status = 400


class MethodNotAllowed(MahjicError):
    """The address exists, but does not accept this method."""

    code = "method_not_allowed"
    title = "Wrong method for this address"
    status = 405

    def __init__(self, allowed: Sequence[str]) -> None:
        names = ", ".join(allowed)
        super().__init__(f"This address only accepts {names}.", headers={"Allow": names})


class BodyTooSlow(MahjicError):
    """The body did not arrive in time."""

    code = "body_too_slow"
    title = "The body did not arrive in time"
    status = 408

    def __init__(self, body_s_max: float) -> None:
        super().__init__(
            f"The body was not complete after {body_s_max:g} s. Send the request again.",
            headers={"Connection": "close"},
        )


class PayloadTooLarge(MahjicError):
    """The body is longer than this address accepts."""

    code = "payload_too_large"
    title = "The body is too large"
    status = 413

    def __init__(self, bytes_max: int) -> None:
        super().__init__(
            f"The body is longer than {bytes_max} bytes. Send it in smaller parts.",
            extra={"bytes_max": bytes_max},
        )


class UnsupportedMediaType(MahjicError):
    """The headers say that the body is something this address does not accept."""

    code = "unsupported_media_type"
    title = "The body is not of an accepted type"
    status = 415


class TooManyRequests(MahjicError):
    """The caller has used up the requests for this minute."""

    code = "too_many_requests"
    title = "Too many requests"
    status = 429

    def __init__(self, *, policy: str, limit_per_minute: int, retry_after_s: int) -> None:
        super().__init__(
            f"You have reached the limit of {limit_per_minute} requests a minute. Try again in "
            f"{retry_after_s} s.",
            # The name of this member comes from the IETF draft on rate limits, section 5.1.
            extra={"violated-policies": [policy]},
            headers={"Retry-After": str(retry_after_s)},
        )


class OutOfFiles(MahjicError):
    """The process can't open a file or a connection that it needs for the answer."""

    code = "out_of_files"
    title = "The service is out of open files"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service has too many files and connections open right now. Send the same "
            "request again in 5 s.",
            headers={"Retry-After": "5"},
        )


class Stopping(MahjicError):
    """The service is stopping, and this answer took longer than it could wait."""

    code = "stopping"
    title = "The service is stopping"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service stopped before the answer was ready. Send the same request again.",
            headers={"Retry-After": "5", "Connection": "close"},
        )


def problem_response(error: MahjicError, scope: Scope) -> Response:
    """Return the answer that tells a caller about an error."""
    return Response(
        problem_body(error, request_id_of(scope)),
        status_code=error.status,
        media_type=PROBLEM_JSON,
        headers={"Cache-Control": "no-store", **error.headers},
    )


def problem_body(error: MahjicError, request_id: str) -> bytes:
    """Return the problem details of an error as they are sent."""
    return orjson.dumps(problem_of(error, request_id))


def problem_of(error: MahjicError, request_id: str) -> Problem:
    """Return the problem details of an error; `instance` is a tag URI (RFC 4151)."""
    told: AnyProblem = {
        "type": f"{ERRORS_PAGE}#{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "instance": f"tag:mahjic.org,2026:request/{request_id}",
    }
    return cast("Problem", {**error.extra, **told})


def install_problems(app: FastAPI) -> None:
    """Answer every error of an application with a problem."""

    async def on_our_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, MahjicError)
        return problem_response(error, request.scope)

    async def on_framework_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return problem_response(_framework_error(request, error), request.scope)

    async def on_wrong_parameter(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        mistakes = mistakes_in_parameters(error.errors())
        listed = [{"pointer": m.pointer, "code": m.code, "message": m.message} for m in mistakes]
        return problem_response(InvalidParameter(listed), request.scope)

    app.add_exception_handler(MahjicError, on_our_error)
    app.add_exception_handler(HTTPException, on_framework_error)
    app.add_exception_handler(RequestValidationError, on_wrong_parameter)
    app.add_middleware(AnswerFaults)


class AnswerFaults(HttpLayer):
    """Answers an unexpected exception with 500, and logs it under the request's id."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with a problem if needed."""
        started = False

        async def send_and_remember(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_and_remember)
        except asyncio.CancelledError:
            # Only the server does this, at the end of its grace period.
            if not started:
                await problem_response(Stopping(), scope)(scope, receive, send)
            raise
        except ClientDisconnect:
            return  # No one is left to answer, and nothing is wrong on our side.
        except Exception as error:  # noqa: BLE001
            # The last resort: without it the server would answer plain text and log the
            # exception's own words, which may hold an email address.
            structlog.get_logger().error("request_failed", exc_info=True)
            if started:
                # Half an answer is sent. Raising makes the server cut the connection, so that
                # the half is not mistaken for the whole.
                raise AnswerCutShort from None
            fault = OutOfFiles() if _is_out_of_files(error) else InternalError()
            await problem_response(fault, scope)(scope, receive, send)


class AnswerCutShort(Exception):
    """An answer failed after its first byte was sent; the cause has been logged."""


def _is_out_of_files(error: BaseException | None) -> bool:
    """Return whether that is behind an error, whatever it was turned into on the way."""
    for _ in range(_CAUSES_MAX):
        if error is None:
            return False
        if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
            return True
        error = error.__cause__ or error.__context__
    return False


def _framework_error(request: Request, error: HTTPException) -> MahjicError:
    match error.status_code:
        case 404 if request.method not in (methods := methods_at(request.scope)) and methods:
            # Another process behind this address answers those methods.
            return MethodNotAllowed(methods)
        case 404:
            return NotFound("There is nothing at this address. /openapi.json lists all addresses.")
        case 405:
            return MethodNotAllowed(methods_at(request.scope))
        case status if status >= 500:
            return InternalError()
        case _:
            return BadRequest(str(error.detail))
