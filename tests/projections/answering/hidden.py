"""A season of two people whom everyone may see, and of one for each way of not being seen."""

from dataclasses import dataclass

from tests.projections.season import Round, Season


@dataclass(frozen=True, slots=True)
class SeasonOfHidden:
    """Who played, and the facts of their nights. Those who `hide` are public until then."""

    season: Season
    ada: str
    bo: str
    private: str
    erased: str
    turned: str
    hidden: list[str]
    facts: list[int]

    @property
    def changes(self) -> list[str]:
        """The changes of everybody on the first nights, whether they sat there or not."""
        people = (self.ada, self.bo, *self.hidden)
        return [f"{each}.{fact}.1" for each in people for fact in self.facts[:4]]

    async def hide(self) -> None:
        """Erase one of those who could be seen, and turn another one private."""
        await self.season.erase(self.erased)
        await self.season.change(self.turned, is_private=True)


async def a_season_of_hidden(season: Season, *others: str) -> SeasonOfHidden:
    """Let them play in turns of four. `others` are hidden too, and play last.

    The sources `club` and `league` must be there. The first and the last never sit together.
    """
    ada = await season.player(1, source="club", name="Ada")
    bo = await season.player(2, source="club", region="midwest")
    private = await season.player(3, source="club", name="Ada Private", is_private=True)
    erased = await season.player(4, source="league", name="Ada Erased")
    turned = await season.player(5, source="club", name="Ada Turned")
    hidden = [private, erased, turned, await season.anonymous(6, "club"), *others]
    for each in (ada, bo, private, erased, turned, *others):
        await season.verify(each)
    people, facts = [ada, bo, *hidden], []
    for night in range(12):
        table = people[night % (len(people) - 3) :][:4]
        rounds = Round({each: 1 + (each < bo) for each in table}, 1)
        source = ("club", "league")[night % 2]
        _, fact = await season.play(source, rounds, on=f"2026-01-{night + 1:02}")
        facts.append(fact)
    return SeasonOfHidden(season, ada, bo, private, erased, turned, hidden, facts)
