"""The connection to Stripe that its own library uses: by httpx, and never the same thing twice.

The library's own way to use httpx hands over what is sent in a way that httpx will give up.
"""

from collections.abc import Mapping

import httpx
import stripe


class HttpxLine(stripe.HTTPClient):
    """Sends what the library has written, and returns the answer with its status and headers."""

    name = "httpx"

    def __init__(self, timeout_s: float) -> None:
        super().__init__()
        self._http = httpx.AsyncClient(timeout=timeout_s)

    async def request_async(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        post_data: str | bytes | None = None,
    ) -> tuple[bytes, int, Mapping[str, str]]:
        try:
            answer = await self._http.request(
                method, url, headers=dict(headers), content=post_data or b""
            )
        except httpx.HTTPError as error:
            failure = stripe.APIConnectionError(type(error).__name__)  # type: ignore[no-untyped-call]
            raise failure from error
        return answer.content, answer.status_code, answer.headers

    async def close_async(self) -> None:
        await self._http.aclose()
