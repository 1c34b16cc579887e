"""Writes what the JavaScript client has for each route, from the interface's document."""

import json
from collections.abc import Mapping

from tests.clients.js.writing.methods import methods
from tests.clients.js.writing.types import api_types


def js_client(contract: str) -> Mapping[str, str]:
    """Return the text of each generated file, by its name in `clients/js`."""
    document = json.loads(contract)
    return {"methods.js": methods(document), "types/api.d.ts": api_types(document)}
