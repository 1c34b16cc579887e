"""A proposal is read strictly: whatever is wrong is told with its line, all of it at once."""

from datetime import date
from pathlib import Path
from shutil import copy

import pytest

from services.cli.operator.formulas.adopting import NotTheProposal, check_proposal
from shared.proposals.proposal import ProposalRefused, read_proposal
from shared.proposals.shelf import KEPT, read_shelf
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_1, Formula, formula_of

NAME = "0007-a-name.md"
DRAFT = [
    "---",
    "title: A title: with a colon",
    "state: draft",
    "written: 2026-11-30",
    "formula: 0007-a-name.json",
    "trial: 0007-a-name.trial.json",
    "---",
    "",
    "## Why",
    "",
    "```",
    "# no heading",
    "```",
]
OPEN = ["opened: 2026-12-07", "discussion: https://example.org/talk/7"]
DECIDED = [*OPEN, "decided: 2027-01-10", "outcome: declined"]


def a_proposal(*more: str, state: str = "draft", **changed: str) -> str:
    lines = [f"state: {state}" if line.startswith("state:") else line for line in DRAFT]
    for name, value in changed.items():
        lines = [f"{name}: {value}" if line.startswith(f"{name}:") else line for line in lines]
    return "\n".join([*lines[:6], *more, *lines[6:]]) + "\n"


def mistakes(content: str, name: str = NAME) -> list[tuple[int, str]]:
    with pytest.raises(ProposalRefused) as refused:
        read_proposal(name, content)
    assert str(refused.value).startswith(f"{name}, line ")
    return [(each.line, each.message) for each in refused.value.mistakes]


def test_a_proposal_is_read_in_each_state() -> None:
    draft = read_proposal(NAME, a_proposal())
    assert (draft.number, draft.slug, draft.title) == ("0007", "a-name", "A title: with a colon")
    assert (draft.state, draft.written) == ("draft", date(2026, 11, 30))
    assert (draft.opened, draft.discussion, draft.decided, draft.outcome) == (None,) * 4
    assert draft.text == "## Why\n\n```\n# no heading\n```\n"
    opened = read_proposal(NAME, a_proposal(*OPEN, state="open"))
    assert (opened.opened, opened.discussion) == (date(2026, 12, 7), "https://example.org/talk/7")
    decided = read_proposal(NAME, a_proposal(*DECIDED, state="decided"))
    assert (decided.decided, decided.outcome) == (date(2027, 1, 10), "declined")


WRONG: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "no head": ("## Why\n", [(1, "The file must begin with a line of ---.")]),
    "no end of the head": (
        "---\ntitle: A\n",
        [(2, "The head has no end. Write a line of --- below it.")],
    ),
    "no colon": (a_proposal("nothing"), [(7, "'nothing' must be a name, a colon, one space")]),
    "two spaces": (
        a_proposal(title=" A"),
        [(2, "'title:  A' must be a name, a colon, one"), (7, "title is missing in the head.")],
    ),
    "an unknown name": (
        a_proposal("author: me"),
        [(7, "Unknown name 'author'. These are known: ")],
    ),
    "twice": (a_proposal("title: B"), [(7, "title is given twice, first in line 2. Keep one.")]),
    "an unknown state": (
        a_proposal(state="done"),
        [(3, "state is 'done'. Write draft or open or decided.")],
    ),
    "no such day": (
        a_proposal(written="2026-02-30"),
        [(4, "written is '2026-02-30'. Write a date like 2026-11-30.")],
    ),
    "a day written in another way": (
        a_proposal(written="20261130"),
        [(4, "written is '20261130'. Write a date like 2026-11-30.")],
    ),
    "too early for an outcome": (
        a_proposal("outcome: adopted"),
        [(7, "A proposal that is draft has no outcome yet.")],
    ),
    "an unknown outcome": (
        a_proposal(*DECIDED[:3], "outcome: maybe", state="decided"),
        [(10, "outcome is 'maybe'. Write adopted or declined.")],
    ),
    "opened before it was written": (
        a_proposal("opened: 2026-11-29", OPEN[1], state="open"),
        [(7, "opened is 2026-11-29, which is before written, 2026-11-30.")],
    ),
    "no address": (
        a_proposal(OPEN[0], "discussion: javascript:alert(1)", state="open"),
        [(8, "The discussion must be an address with https://.")],
    ),
    "the files of another": (
        a_proposal(formula="0008-a-name.json", trial="../x.json"),
        [
            (5, "formula is '0008-a-name.json'. It must be 0007-a-name.json."),
            (6, "trial is '../x.json'. It must be 0007-a-name.trial.json."),
        ],
    ),
    "a second title": (
        a_proposal() + "# Title\n",
        [(14, "The title is in the head. Begin headings with ##.")],
    ),
    "no text": ("\n".join(DRAFT[:7]), [(7, "There is no text below the head.")]),
    "a long title": (
        a_proposal(title="x" * 101),
        [(2, "The title is too long. At most 100 characters, not 101.")],
    ),
    "several at once": (
        a_proposal("author: me", state="decided", written="soon"),
        [
            (4, "written is 'soon'"),
            (7, "Unknown name 'author'."),
            *((8, f"{name} is missing") for name in ("opened", "discussion", "decided", "outcome")),
        ],
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told_with_its_line(wrong: str) -> None:
    content, expected = WRONG[wrong]
    found = mistakes(content)
    if "no " in wrong and "head" in wrong:  # Then everything else is missing, too.
        found = found[: len(expected)] if wrong == "no head" else found[-1:]
    assert [line for line, _ in found] == [line for line, _ in expected]
    for (_, said), (_, words) in zip(found, expected, strict=True):
        assert said.startswith(words)


def test_the_name_of_the_file_is_its_number_and_a_few_words() -> None:
    for name in ("7-a.md", "0007.md", "0007-A.md", "0007-a-.md", "0007_a.md", "0007-a.txt"):
        assert [line for line, _ in mistakes(a_proposal(), name)] == [1]


def test_every_proposal_of_this_house_is_sound_and_its_figures_are_those_of_its_trial() -> None:
    shelf = read_shelf()
    assert [each.proposal.number for each in shelf.proposals][-1] == "0001"
    first = shelf.numbered("0001")
    assert first is not None
    assert first.parameters == Parameters(40_000, ((0, 32), (90, 24), (303, 16)), 50, 5 * 10**9)
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in first.proposal.text.splitlines()
        if line.startswith(("| all ", "| second year "))
    ]
    forecasts = first.trial.forecasts
    measured = [
        each
        for period in ("all", "since")
        for each in (getattr(forecasts.now, period), getattr(forecasts.tried, period))
    ]
    assert [row[2:] for row in rows] == [
        [f"{each.log_loss:.5f}", f"{each.brier:.5f}", f"{100 * each.accuracy:.2f} %"]
        for each in measured
    ]
    moves, board = first.trial.mahjic, first.trial.board
    for words in (
        f"{first.trial.rounds:,} rounds of {moves.players:,} people",
        f"at most {moves.median / 100:.2f} points",
        f"at most {moves.most_of_90 / 100:.2f}.",
        f"{dict(board.staying)[10]} of the first 10 and {dict(board.staying)[100]} of the first",
    ):
        assert words in " ".join(first.proposal.text.split())
    assert shelf.numbered("0000") is None


def test_what_lies_beside_a_proposal_is_held_to_the_same(tmp_path: Path) -> None:
    stem = "0001-k-by-rounds-or-by-games"
    files = [KEPT / f"{stem}{end}" for end in (".md", ".json", ".trial.json")]

    def refused() -> str:
        with pytest.raises(ProposalRefused) as found:
            read_shelf(tmp_path)
        return str(found.value)

    copy(files[0], tmp_path)
    assert refused() == f"{stem}.md, line 1: The file {stem}.json is not there."
    (tmp_path / files[1].name).write_text("{}")
    copy(files[2], tmp_path)
    assert f"{stem}.json, line 1: /scale_centi: It is missing" in refused()
    copy(files[1], tmp_path)
    assert len(read_shelf(tmp_path).proposals) == 1
    trial = files[2].read_text()
    # Players are named in no trial that is published.
    (tmp_path / files[2].name).write_text(trial.replace('"movers": []', '"movers": [{}]'))
    assert "/movers: " in refused()
    (tmp_path / files[2].name).write_text(trial.replace(f"{stem}.json", "another.json"))
    assert refused().endswith("It is a trial of the file another.json.")
    (tmp_path / files[2].name).write_text(trial)
    other = (tmp_path / files[0].name).read_text().replace(stem, "0001-other")
    (tmp_path / "0001-other.md").write_text(other)
    copy(files[1], tmp_path / "0001-other.json")
    (tmp_path / "0001-other.trial.json").write_text(trial.replace(stem, "0001-other"))
    assert "Several have its number: k-by-rounds-or-by-games, other." in refused()


def test_only_a_proposal_that_was_adopted_and_has_the_same_numbers_is_named(
    tmp_path: Path,
) -> None:
    stem = "0001-k-by-rounds-or-by-games"
    for end in (".json", ".trial.json"):
        copy(KEPT / f"{stem}{end}", tmp_path)
    text = (KEPT / f"{stem}.md").read_text()
    proposed = formula_of(read_shelf().proposals[-1].parameters, "mahjic-elo/3")

    def refused(number: str, formula: Formula, **head: str) -> str:
        lines = "".join(f"{name}: {value}\n" for name, value in head.items())
        new = "decided" if head else "draft"
        (tmp_path / f"{stem}.md").write_text(
            text.replace("state: draft\n", f"state: {new}\n{lines}", 1)
        )
        try:
            check_proposal(read_shelf(tmp_path), number, formula)
        except NotTheProposal as wrong:
            return wrong.detail
        return ""

    ended = {
        "opened": "2026-12-07",
        "discussion": "https://example.org/1",
        "decided": "2027-02-01",
    }
    assert refused("0002", proposed).startswith("There is no proposal '0002'.")
    assert refused("0001", proposed).startswith("Proposal 0001 is not decided, or declined.")
    assert "declined" in refused("0001", proposed, **ended, outcome="declined")
    assert "other numbers" in refused("0001", MAHJIC_ELO_1, **ended, outcome="adopted")
    assert refused("0001", proposed, **ended, outcome="adopted") == ""
