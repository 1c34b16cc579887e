"""Builds the programs that judge public logs, once and ahead of the tests."""

import sys

from tests.go_tools import GoToolMissing
from tests.transparency.judges.tools import litewitness, sumdb


def main() -> int:
    """Prepare what the tests need, or say why they will do without; they decide what then."""
    try:
        sumdb()
        litewitness()
    except GoToolMissing as missing:
        sys.stderr.write(f"NOT TRIED: public logs by programs of others. {missing}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
