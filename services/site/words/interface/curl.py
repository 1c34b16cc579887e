"""Writes the curl line of an operation, from the examples in the OpenAPI document. Pure.

What only the reader knows is a variable of their shell: the key, and the ids that an answer gave.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_JSON: Final = "application/json"
_LINES: Final = "application/x-ndjson"
_CSV: Final = "text/csv"
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
# Optional, and only right for whoever has a key of that source.
_OF_ONE_SOURCE: Final = "source_id"
SHEET: Final = "night.csv"
KEY_VARIABLE: Final = "MAHJIC_KEY"
OTHER_PREFIX: Final = "OTHER_"


def curl_of(
    method: str, path: str, told: Mapping[str, Any], *, ids: Mapping[str, str], origin: str
) -> str:
    """Return a command that a reader can paste into a shell, over several lines if it is long.

    `ids` are the ids of the document's examples, each with the name of its parameter.
    """
    parameters = {each["name"]: each for each in told.get("parameters", ())}
    words = [f'curl "{origin}{_address(path, parameters)}"']
    # With a body, curl sends a POST by itself; without one, a GET.
    if method != ("POST" if "requestBody" in told else "GET"):
        words[0] = words[0].replace("curl ", f"curl -X {method} ", 1)
    if told.get("security"):
        words.append('-H "Authorization: Bearer $MAHJIC_KEY"')
    after = ""
    if "requestBody" in told:
        sent, after = _body(told["requestBody"]["content"], _variables_for(ids, parameters))
        words += sent
    if (name := _file_of(path)) is not None:
        words.append(f"-o {name}")
    return " \\\n  ".join(words) + after


def variable_of(parameter: str) -> str:
    """Return the shell variable that stands for a parameter of the path: `PLAYER_ID`."""
    return parameter.upper()


def _address(path: str, parameters: Mapping[str, Any]) -> str:
    def filled(match: re.Match[str]) -> str:
        schema = parameters[match[1]]["schema"]
        return str(schema["enum"][0]) if "enum" in schema else f"${variable_of(match[1])}"

    required = [
        f"{name}={each['schema']['examples'][0]}"
        for name, each in parameters.items()
        if each["in"] == "query" and each.get("required")
    ]
    query = f"?{'&'.join(required)}" if required else ""
    return _PLACEHOLDER.sub(filled, path) + query


def _variables_for(ids: Mapping[str, str], parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the variable that stands for each id in a body.

    If the address has such an id as well, it is another one: no player is merged into itself.
    """
    return {
        example: f"${OTHER_PREFIX if name in parameters else ''}{variable_of(name)}"
        for example, name in ids.items()
    }


def _body(content: Mapping[str, Any], variables: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the options that send a body, and what follows the command: a text in the shell."""
    if _JSON in content:
        media_type, text = _JSON, _json_text(content[_JSON]["example"])
    elif _LINES in content:
        media_type, text = _LINES, _json_line(content[_LINES]["example"])
    else:
        return [f'-H "Content-Type: {_CSV}"', f"--data-binary @{SHEET}"], ""
    head = f'-H "Content-Type: {media_type}"'
    for example, variable in variables.items():
        text = text.replace(example, variable)
    # Between these quotes the shell changes nothing, so there is no variable in them.
    if "$" not in text and "'" not in text:
        return [head, f"--data-binary '{text}'"], ""
    return [head, "--data-binary @- <<BODY"], f"\n{text}\nBODY"


def _json_text(example: Mapping[str, Any]) -> str:
    return json.dumps(_without_source(example), indent=2, ensure_ascii=False)


def _json_line(example: str) -> str:
    lines = [_without_source(json.loads(line)) for line in example.splitlines()]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def _without_source(example: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in example.items() if name != _OF_ONE_SOURCE}


def _file_of(path: str) -> str | None:
    """Return the name for a file that the answer is, None for what a terminal can show."""
    name = path.rpartition("/")[2]
    return name if name.endswith((".csv", ".xlsx")) else None
