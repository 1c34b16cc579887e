"""Where the rater keeps its folder: in that of the data, where it is told to, or nowhere."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from services.database import rater_folder
from shared.db.folder import default_folder
from shared.settings import Settings

URL = SecretStr("postgresql://mahjic@db.example.org/mahjic")


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAHJIC_DATA", "MAHJIC_DATABASE_URL", "MAHJIC_RATER_FOLDER"):
        monkeypatch.delenv(name, raising=False)


def test_it_lies_in_the_folder_of_the_data() -> None:
    assert rater_folder(Settings(data=Path("/data"))) == Path("/data/rater")
    assert rater_folder(Settings()) == default_folder() / "rater"


def test_beside_a_database_of_the_operators_there_is_none_unless_named() -> None:
    assert rater_folder(Settings(database_url=URL)) is None
    named = Settings(database_url=URL, rater_folder=Path("/rater"))
    assert rater_folder(named) == Path("/rater")


def test_a_folder_that_is_named_takes_the_place_of_the_one_in_the_data() -> None:
    assert rater_folder(Settings(data=Path("/data"), rater_folder=Path("/fast"))) == Path("/fast")


def test_an_empty_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAHJIC_RATER_FOLDER", "")
    with pytest.raises(ValidationError, match="set but empty"):
        Settings()
