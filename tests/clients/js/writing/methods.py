"""The methods of the JavaScript client: one for each route, and one for each list as a whole."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from tests.clients.js.writing.contract import XLSX, Route, Schema, camel, comment, routes

HEAD: Final = """/** A method for each route, which `make docs` writes from docs/openapi.json. */

import { Asking } from "./asking.js";

/** @import { Answer, Options, Paged, Row, Trial } from "./api.js" */

/** All that can be asked of Mahjic in one request, and all lists that come in pages. */
export class Methods extends Asking {
"""


class Pages(NamedTuple):
    """A list that comes in pages: what it is called as a whole, and where a page has its rows."""

    name: str
    rows: str
    by: str = "cursor"


PAGES: Final = {
    "list_sessions": Pages("sessions", "sessions"),
    "list_disputes": Pages("disputes", "disputes", "after"),
    "list_wrong_addresses": Pages("wrong_addresses", "wrong_addresses", "after"),
    "get_history": Pages("history", "changes"),
    "get_change": Pages("changed_rounds", "rounds"),
    "get_leaderboard": Pages("leaderboard", "players"),
    "get_region_leaderboard": Pages("region_leaderboard", "players"),
    "get_source_leaderboard": Pages("source_leaderboard", "players"),
    "list_change_proofs": Pages("change_proofs", "changes"),
    "list_facts": Pages("facts", "records", "from"),
    "list_verdicts": Pages("verdicts", "records", "from"),
    "list_fact_salts": Pages("fact_salts", "records", "from"),
    "list_verdict_salts": Pages("verdict_salts", "records", "from"),
}
# Their answers are lines, as they are on a log.
OF_LOGS: Final = frozenset({"list_facts", "list_verdicts", "list_fact_salts", "list_verdict_salts"})


def methods(document: Schema) -> str:
    """Return the text of the module with all methods."""
    written = (text for route in routes(document) for text in _methods(route))
    return HEAD + "\n".join(written) + "}\n"


def _methods(route: Route) -> Iterator[str]:
    if not route.takes_lines:
        yield _one(route)
    if route.id in PAGES:
        yield _all(route, PAGES[route.id])


def _one(route: Route) -> str:
    """Return the method that sends one request."""
    words = route.entry.get("description") or sentence(route.entry["summary"])
    needed = route.body.get("required") or route.takes_sheet
    needed = needed or any(each["required"] for each in route.query)
    options = "options" if needed else "[options]"
    parts = _parts(route)
    taken, answer = f'Options<"{route.name}">', f'Promise<Answer<"{route.name}">>'
    if has_trial(route):
        doc = "".join(_overloads(words, route, parts, taken))
        doc += comment("", "  ", *_typed(parts, taken, "options", "Promise<any>"))
    else:
        doc = comment(words, "  ", *_typed(parts, taken, options, answer))
    return doc + _body(route, parts, "_ask", _told(route))


def _overloads(words: str, route: Route, parts: list[str], taken: str) -> Iterator[str]:
    """Yield how the method is called for good, and how as a dry run, which answers otherwise."""
    for told, dry_run, kind in (
        (words, "dry_run?: false | undefined", "Answer"),
        ("The same as a dry run: nothing is recorded.", "dry_run: true", "Trial"),
    ):
        narrowed = f"{taken} & {{ {dry_run} }}"
        tags = _typed(parts, narrowed, "options", f'Promise<{kind}<"{route.name}">>')
        yield comment(told, "  ", "@overload", *tags)


def sentence(words: str) -> str:
    """Return words with a period at the end, unless they end in something like it."""
    return words if words.endswith((".", "?")) else f"{words}."


def _all(route: Route, pages: Pages) -> str:
    """Return the method that goes through a list as a whole."""
    words = f"Go through all that `{route.name}` shows, page by page."
    parts = _parts(route)
    taken, row = f'Paged<"{route.name}">', f'AsyncGenerator<Row<"{route.name}">, void>'
    doc = comment(words, "  ", *_typed(parts, taken, "[options]", row))
    told = [f'rows: "{pages.rows}"', f'by: "{pages.by}"', *_told(route)]
    return doc + _body(route, parts, "_each", told, name=camel(pages.name))


def has_trial(route: Route) -> bool:
    """Return whether a dry run is answered in another way."""
    answers = {status: content["schema"] for status, _, content in route.answers()}
    return "anyOf" in answers.get("200", {})


def _parts(route: Route) -> list[str]:
    return [each["name"] for each in route.parameters("path")]


def _typed(parts: list[str], taken: str, options: str, answer: str) -> list[str]:
    kinds = {"fact_seq": "number"}
    named = [f"@param {{{kinds.get(each, 'string')}}} {camel(each)}" for each in parts]
    return [*named, f"@param {{{taken}}} {options}", f"@returns {{{answer}}}"]


def _body(route: Route, parts: list[str], how: str, told: list[str], name: str = "") -> str:
    given = [camel(each) for each in parts]
    head = f"  {name or route.name}({', '.join([*given, 'options'])}) {{\n"
    call = f'this.{how}("{route.method} {route.path}", [{", ".join(given)}], options'
    if not told:
        return f"{head}    return {call});\n  }}\n"
    lines = "".join(f"      {each},\n" for each in told)
    return f"{head}    return {call}, {{\n{lines}    }});\n  }}\n"


def _told(route: Route) -> list[str]:
    """Return what is to be known about a route to send a request and to read its answer."""
    told = []
    if route.body and route.query:
        told.append("query: [" + ", ".join(f'"{each["name"]}"' for each in route.query) + "]")
    if "Idempotency-Key" in route.headers:
        told.append("isKeyed: true")
    if route.entry["tags"] == ["health"]:
        told.append("isProbe: true")
    if route.id == "get_metrics":
        told.append('as: "text"')
    if route.kinds & {"text/csv", XLSX}:
        told.append('as: "bytes"')
    if route.id in OF_LOGS:
        told.append('as: "log"')
    return told
