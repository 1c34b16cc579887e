"""An agent is named whole or not at all, and its key goes nowhere in the open."""

import pytest

from services.applications.reviewing.anthropic import AnthropicReviewer
from services.cli.terminal.options import InvalidSettings, read_settings
from services.ports import reviewer_of

WHOLE = {
    "review_url": "https://api.anthropic.com/v1/messages",
    "review_key": "sk-very-secret",
    "review_model": "claude-test-1",
}


def test_named_whole_it_is_asked_and_not_named_nobody_is() -> None:
    assert reviewer_of(read_settings(WHOLE)) == AnthropicReviewer(
        WHOLE["review_url"], WHOLE["review_model"], WHOLE["review_key"]
    )
    assert reviewer_of(read_settings()) is None


@pytest.mark.parametrize("left", sorted(WHOLE))
def test_named_in_half_nothing_starts(left: str) -> None:
    for given in ({left: WHOLE[left]}, {k: v for k, v in WHOLE.items() if k != left}):
        with pytest.raises(InvalidSettings) as refused:
            read_settings(given)
        assert "MAHJIC_REVIEW_URL, MAHJIC_REVIEW_KEY and MAHJIC_REVIEW_MODEL" in str(refused.value)
        assert "sk-very-secret" not in str(refused.value)
    with pytest.raises(InvalidSettings, match=f"MAHJIC_{left.upper()}"):
        read_settings(WHOLE | {left: ""})


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.org/v1/messages",
        "http://localhost.example.org/v1/messages",
        "https://user:pass@example.org/v1",
        "https://example.org",
        "https://example.org/v1?x=1",
        "https://example.org/v1\nx",
        "ftp://example.org/",
        "api.anthropic.com/v1/messages",
    ],
)
def test_the_key_is_sent_in_the_open_to_this_machine_alone(url: str) -> None:
    with pytest.raises(InvalidSettings, match="MAHJIC_REVIEW_URL"):
        read_settings(WHOLE | {"review_url": url})
    for own in ("http://localhost:9000/v1", "http://127.0.0.1/v1", "http://[::1]:1/v1"):
        assert read_settings(WHOLE | {"review_url": own})


@pytest.mark.parametrize("model", ["", "x" * 201, "a b", "a\nb", "{x}", "-x"])
def test_a_model_has_a_plain_name(model: str) -> None:
    with pytest.raises(InvalidSettings, match="MAHJIC_REVIEW_MODEL"):
        read_settings(WHOLE | {"review_model": model})
