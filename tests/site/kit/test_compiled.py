"""Templates are compiled once in a process, and each site shows what is its own."""

from jinja2 import DictLoader, Environment, nodes

from services.site.kit.compiled import CompiledOnce
from services.site.kit.origin import Origin
from services.site.kit.pages import SitePages
from tests.site.kit.conftest import HEAD, LONG


def test_sites_of_one_process_differ_in_what_they_say() -> None:
    live, sandbox = (
        SitePages(Origin(None, 8000), is_sandbox=is_sandbox).html(
            "kit/problem.html", head=HEAD, current="", told=LONG, request_id="none"
        )
        for is_sandbox in (False, True)
    )
    assert "sandbox" in sandbox
    assert "sandbox" not in live


def test_a_template_is_compiled_once_and_anew_when_its_text_is_another() -> None:
    kept = CompiledOnce()
    compiled: list[str] = []

    class Counting(Environment):
        def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
            compiled.append(source)
            return super()._parse(source, name, filename)

    def said(text: str, who: str) -> str:
        sites = Counting(loader=DictLoader({"page": text}), bytecode_cache=kept, autoescape=True)
        return sites.get_template("page").render(who=who)

    said_all = [said("Hello, {{ who }}", who) for who in ("Ada", "Bo")]
    said_all.append(said("Good night, {{ who }}", "Ada"))
    assert said_all == ["Hello, Ada", "Hello, Bo", "Good night, Ada"]
    assert compiled == ["Hello, {{ who }}", "Good night, {{ who }}"]
