"""The methods of the JavaScript client: one for each route, and one for each list as a whole."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from tests.clients.contract import XLSX, Contract, Operation, operations
from tests.clients.js.writing.wording import camel, comment

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


def methods(document: Contract) -> str:
    """Return the text of the module with all methods."""
    written = (text for operation in operations(document) for text in _methods(operation))
    return HEAD + "\n".join(written) + "}\n"


def _methods(operation: Operation) -> Iterator[str]:
    if operation.line is None:
        yield _one(operation)
    if operation.name in PAGES:
        yield _all(operation, PAGES[operation.name])


def _one(operation: Operation) -> str:
    """Return the method that sends one request."""
    words = operation.entry.get("description") or sentence(operation.entry["summary"])
    needed = operation.body.get("required") or operation.takes_sheet
    needed = needed or any(each["required"] for each in operation.query.values())
    options = "options" if needed else "[options]"
    parts = _parts(operation)
    name = camel(operation.name)
    taken, answer = f'Options<"{name}">', f'Promise<Answer<"{name}">>'
    if has_trial(operation):
        doc = "".join(_overloads(words, operation, parts, taken))
        doc += comment("", "  ", *_typed(parts, taken, "options", "Promise<any>"))
    else:
        doc = comment(words, "  ", *_typed(parts, taken, options, answer))
    return doc + _body(operation, parts, "_ask", _told(operation))


def _overloads(words: str, operation: Operation, parts: list[str], taken: str) -> Iterator[str]:
    """Yield how the method is called for good, and how as a dry run, which answers otherwise."""
    for told, dry_run, kind in (
        (words, "dry_run?: false | undefined", "Answer"),
        ("The same as a dry run: nothing is recorded.", "dry_run: true", "Trial"),
    ):
        narrowed = f"{taken} & {{ {dry_run} }}"
        tags = _typed(parts, narrowed, "options", f'Promise<{kind}<"{camel(operation.name)}">>')
        yield comment(told, "  ", "@overload", *tags)


def sentence(words: str) -> str:
    """Return words with a period at the end, unless they end in something like it."""
    return words if words.endswith((".", "?")) else f"{words}."


def _all(operation: Operation, pages: Pages) -> str:
    """Return the method that goes through a list as a whole."""
    name = camel(operation.name)
    words = f"Go through all that `{name}` shows, page by page."
    parts = _parts(operation)
    taken, row = f'Paged<"{name}">', f'AsyncGenerator<Row<"{name}">, void>'
    doc = comment(words, "  ", *_typed(parts, taken, "[options]", row))
    told = [f'rows: "{pages.rows}"', f'by: "{pages.by}"', *_told(operation)]
    return doc + _body(operation, parts, "_each", told, name=camel(pages.name))


def has_trial(operation: Operation) -> bool:
    """Return whether a dry run is answered in another way."""
    answers = {status: content["schema"] for status, _, content in operation.answers()}
    return "anyOf" in answers.get("200", {})


def _parts(operation: Operation) -> list[str]:
    return list(operation.parameters("path"))


def _typed(parts: list[str], taken: str, options: str, answer: str) -> list[str]:
    kinds = {"fact_seq": "number"}
    named = [f"@param {{{kinds.get(each, 'string')}}} {camel(each)}" for each in parts]
    return [*named, f"@param {{{taken}}} {options}", f"@returns {{{answer}}}"]


def _body(operation: Operation, parts: list[str], how: str, told: list[str], name: str = "") -> str:
    given = [camel(each) for each in parts]
    head = f"  {name or camel(operation.name)}({', '.join([*given, 'options'])}) {{\n"
    call = f'this.{how}("{operation.method} {operation.path}", [{", ".join(given)}], options'
    if not told:
        return f"{head}    return {call});\n  }}\n"
    lines = "".join(f"      {each},\n" for each in told)
    return f"{head}    return {call}, {{\n{lines}    }});\n  }}\n"


def _told(operation: Operation) -> list[str]:
    """Return what is to be known about a route to send a request and to read its answer."""
    told = []
    if operation.body and operation.query:
        told.append("query: [" + ", ".join(f'"{each}"' for each in operation.query) + "]")
    if "Idempotency-Key" in operation.headers:
        told.append("isKeyed: true")
    if operation.entry["tags"] == ["health"]:
        told.append("isProbe: true")
    if operation.name == "get_metrics":
        told.append('as: "text"')
    if operation.kinds & {"text/csv", XLSX}:
        told.append('as: "bytes"')
    if operation.name in OF_LOGS:
        told.append('as: "log"')
    return told
