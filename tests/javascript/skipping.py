"""Leaves out tests for which a machine lacks the tools, or fails them where none may be."""

import os
from typing import NoReturn

import pytest

from tests.javascript.tools import REQUIRE


def not_tried(missing: Exception) -> NoReturn:
    """Skip a test of the site, and fail it where nothing may be left out."""
    if os.environ.get(REQUIRE):
        pytest.fail(f"{REQUIRE} is set, and something is missing. {missing}", pytrace=False)
    pytest.skip(f"NOT TRIED: the site in a browser. {missing}")
