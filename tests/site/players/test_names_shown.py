"""Names of every kind stay text, stay in their place, and stay with the words around them."""

import pytest

from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld

ALICE, BO = mj(1), mj(2)
NAMES = [
    "王秀英",
    "فاطمة الزهراء",
    "Zoe\u0308 A\u030angstro\u0308m",
    "W" * 40,
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} {% raw %} %(name)s %s {}",
    "O’Neil & Sons 'x'",
]


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_is_shown_as_it_is(site: SiteWorld, name: str) -> None:
    await site.season.change(ALICE, name=name)
    await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.follow()
    stored = (await site.reads.players.profile(ALICE))["name"]
    for path in (
        f"/players/{ALICE}",
        f"/players/{ALICE}/chart",
        f"/players/{BO}",
        f"/players/{ALICE}/changes/{ALICE}.2.1",
        f"/players/{BO}/changes/{BO}.2.1",
        f"/compare/{ALICE}/{BO}",
        f"/compare?one={ALICE}",
        f"/find?q={ALICE}&as=list",
    ):
        page = await site.page(path)
        shown = [each.text for each in page.main.all("bdi")]
        assert " ".join(stored.split()) in shown, path
        assert not list(page.main.all("script"))
        assert not list(page.main.all("img"))
        assert "49" not in page.title
