"""Fetches what pages are looked at with, once and ahead of the tests."""

import sys

from tests.javascript.tools import NodeMissing, node_modules


def main() -> int:
    """Prepare what the tests need, or say why they will leave pages out; they decide what then."""
    try:
        node_modules()
    except NodeMissing as missing:
        sys.stderr.write(f"NOT TRIED: the site in a browser. {missing}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
