"""What pages count is one thing or several things, whichever other number stands beside it."""

import re
from collections.abc import Iterator

import pytest
from jinja2 import Environment

from services.site.kit.pages import TEMPLATES

TEXT = re.compile(r"(?s){%-?\s*trans\b(.*?)%}(.*?){%-?\s*endtrans")
TOLD = re.compile(r"pluralize\s*(\w*)")


def counted_texts() -> Iterator[tuple[str, str, str]]:
    """Yield the template, the variables and the words of each text that has a plural."""
    for path in sorted(TEMPLATES.rglob("*.html")):
        for variables, words in TEXT.findall(path.read_text()):
            if "pluralize" in words:
                yield path.name, variables.strip(), words


@pytest.mark.parametrize(("template", "variables", "words"), list(counted_texts()))
def test_a_text_goes_by_its_count(template: str, variables: str, words: str) -> None:
    told = TOLD.search(words)
    assert told is not None
    # Jinja goes by the first variable, unless it is told another one.
    counted = told[1] or variables.partition("=")[0]
    assert counted == "count", (template, words)


def test_there_are_such_texts_and_jinja_goes_by_the_first_variable() -> None:
    assert len(list(counted_texts())) > 10
    environment = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)
    environment.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    text = "{% trans one=1, two=2 %}thing{% pluralize %}things{% endtrans %}"
    assert environment.from_string(text).render() == "thing"
