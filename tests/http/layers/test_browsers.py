"""Pages of other sites may read what is public, and never with a key."""

from tests.http.service import (
    SOURCE_KEY,
    UNKNOWN_KEY,
    a_service,
    talking_to,
    with_key,
)

ORIGIN = {"Origin": "https://club.example"}


async def test_a_public_read_is_open_to_every_site_with_the_fields_that_it_needs() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/v1/board", headers=ORIGIN)
        missing = await client.get("/v1/nowhere", headers=ORIGIN)
        of_site = await client.get("/nowhere", headers=ORIGIN)
    # Whatever is of the site may depend on who is logged in, unless it says that it is public.
    assert "access-control-allow-origin" not in of_site.headers
    for open_answer in (answer, missing):
        assert open_answer.headers["access-control-allow-origin"] == "*"
        exposed = open_answer.headers["access-control-expose-headers"].split(", ")
        assert {"ETag", "RateLimit", "RateLimit-Policy", "Retry-After"} <= set(exposed)
        assert "access-control-allow-credentials" not in open_answer.headers


async def test_a_write_and_an_answer_to_a_key_are_closed() -> None:
    async with talking_to(a_service()) as client:
        write = await client.post("/v1/notes", headers=ORIGIN)
        keyed = await client.get("/v1/away", headers={**ORIGIN, **with_key(SOURCE_KEY)})
        bad_key = await client.get("/v1/board", headers={**ORIGIN, **with_key(UNKNOWN_KEY)})
    for answer in (write, keyed, bad_key):
        assert "access-control-allow-origin" not in answer.headers


async def test_a_public_answer_is_open_whoever_asked_for_it_since_caches_share_it() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/v1/board", headers=with_key(SOURCE_KEY))
    assert answer.headers["cache-control"].startswith("public")
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_browser_may_ask_to_read_and_not_to_send_a_key_or_to_write() -> None:
    async with talking_to(a_service(public_per_minute=1)) as client:
        read = await client.options(
            "/v1/board", headers={**ORIGIN, "Access-Control-Request-Method": "GET"}
        )
        write = await client.options(
            "/v1/notes", headers={**ORIGIN, "Access-Control-Request-Method": "POST"}
        )
        assert (await client.get("/v1/board")).status_code == 200  # Asking was free.
        keyed = await client.options(
            "/v1/board",
            headers={
                **ORIGIN,
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "authorization,if-none-match",
            },
        )
        of_site = await client.options(
            "/me", headers={**ORIGIN, "Access-Control-Request-Method": "GET"}
        )
    for refused in (write, keyed, of_site):
        assert "access-control-allow-origin" not in refused.headers
    assert read.status_code == 204
    assert read.headers["access-control-allow-origin"] == "*"
    assert read.headers["access-control-allow-methods"] == "GET, HEAD"
    assert "authorization" not in read.headers["access-control-allow-headers"].lower()


async def test_faults_are_open_and_what_needs_a_key_or_is_watched_is_not() -> None:
    async with talking_to(a_service()) as client:
        opened = [await client.get(path, headers=ORIGIN) for path in ("/v1/fault", "/v1/away")]
        closed = [await client.get(path, headers=ORIGIN) for path in ("/healthz", "/metrics")]
        closed.append(await client.get("/v1/notes", headers=ORIGIN))
    assert [answer.status_code for answer in opened] == [500, 503]
    for answer in opened:
        assert answer.headers["access-control-allow-origin"] == "*"
    for answer in closed:
        assert "access-control-allow-origin" not in answer.headers


async def test_every_answer_tells_browsers_to_take_it_as_it_is() -> None:
    async with talking_to(a_service()) as client:
        for path in ("/v1/board", "/nowhere", "/healthz", "/v1/fault", "/openapi.json"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["content-security-policy"] == (
                "default-src 'none'; frame-ancestors 'none'"
            )
