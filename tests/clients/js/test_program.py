"""A program of somebody else's: installed from the folder, right by its types, and at work."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.clients.js.writing.emitting import PACKAGE
from tests.javascript.skipping import not_tried
from tests.javascript.tools import NodeMissing, find_node, node_modules
from tests.whole.conftest import ServedSite, served_site

README: Final = (PACKAGE / "README.md").read_text()
INSTALL: Final = ("install", "--offline", "--no-audit", "--no-fund", "--install-links")
STRICT: Final = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noEmit": True,
    "module": "nodenext",
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": [],
}
# A line with a mistake must be refused: if it is not, the comment above it is.
PROGRAM: Final = """
import { Gone, Mahjic, Ratings, rate, readWebhook } from "mahjic-client";
import { settleAmerican, settleHongKong, TOURNAMENT } from "mahjic-client/scoring.js";
import type { EventAnswer, SessionClaim } from "mahjic-client/api";

const claim: SessionClaim = {
  session_date: "2026-01-31",
  game_type: "social",
  rounds: [{ players: [{ email: "ada@ex.com", games_played: 1, mahjongs: 1 }], wall_games: 0 }],
};

export async function run(mahjic: Mahjic, signal: AbortSignal): Promise<string> {
  const night = await mahjic.submitSession({ ...claim, wait: 10, signal });
  const trial = await mahjic.submitSession({ ...claim, dry_run: true });
  const nothing: null = trial.session_id;
  const [first] = night.results;
  const why = await mahjic.getChange(first?.player_id ?? "", "1-0");
  const won: number | undefined = why.type === "round" ? why.mahjongs : undefined;
  for await (const each of mahjic.history("MJ-7K3Q9XZM", { limit: 7 })) {
    if (each.type === "correction") console.log(each.cause);
  }
  for await (const { status, problem } of mahjic.batch([claim], { wait: 0 })) {
    console.log(status, problem?.code);
  }
  const sheet: Uint8Array = await mahjic.getSessionSheetCsv(night.session_id);
  await mahjic.submitSheet({ file: sheet, allow_duplicate: true });
  // @ts-expect-error Somebody mistyped it.
  await mahjic.listSessions({ limits: 1 });
  // @ts-expect-error A reason is one of some codes.
  await mahjic.voidSession(night.session_id, { reason: "because" });
  // @ts-expect-error A search needs what to search for.
  await mahjic.searchPlayers();
  const points: number[] = settleAmerican({ kind: "wall" }, { ...TOURNAMENT, wallGame: 5 });
  const halves: string[] = settleHongKong({ kind: "draw" });
  // @ts-expect-error A discard says who discarded.
  settleAmerican({ kind: "discard", winner: 0, hand: { value: 25 } });
  console.log(points, halves);
  console.log(nothing, won, new Ratings().mahjic("Ada").games, rate([], "league"));
  return night.session_id;
}

export const handle = async (headers: Headers, body: Uint8Array): Promise<EventAnswer> =>
  readWebhook("whsec_", headers, body);
export const isOver = (fault: unknown): fault is Gone => fault instanceof Gone;
declare const console: { log(...words: unknown[]): void };
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a program that has the package, as npm puts it there."""
    folder = tmp_path_factory.mktemp("program")
    npm = shutil.which("npm")
    if npm is None:
        not_tried(NodeMissing("Install npm (Debian: npm)."))
    (folder / "package.json").write_text('{"name": "program", "private": true, "type": "module"}')
    subprocess.run([npm, *INSTALL, str(PACKAGE)], cwd=folder, check=True, capture_output=True)
    return folder


def test_it_installs_from_the_folder_with_all_that_it_needs_and_nothing_else(
    installed: Path,
) -> None:
    (package,) = (installed / "node_modules").glob("[a-z]*")
    kept = {str(each.relative_to(package)) for each in package.rglob("*") if each.is_file()}
    names = {str(each.relative_to(PACKAGE)) for each in PACKAGE.rglob("*.js")}
    types = {str(each.relative_to(PACKAGE)) for each in (PACKAGE / "types").rglob("*.d.ts")}
    told = {"README.md", "LICENSE", "CHANGELOG.md", "package.json"}
    assert kept == names | types | told


def test_a_program_is_right_or_wrong_by_the_types_alone(installed: Path) -> None:
    try:
        compiler = [find_node(), str(node_modules() / "typescript/bin/tsc")]
    except NodeMissing as missing:
        not_tried(missing)
    (installed / "program.ts").write_text(PROGRAM)
    (installed / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": STRICT, "files": ["program.ts"]})
    )
    ended = subprocess.run(compiler, cwd=installed, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_first_rating_of_the_readme_comes_out_however_often_it_is_run(installed: Path) -> None:
    program = re.findall(r"```js\n(.+?)```", README, re.DOTALL)[0]
    promised = re.findall(r"```text\n(.+?)```", README, re.DOTALL)[0]
    assert len(program.splitlines()) <= 32
    (installed / "first.mjs").write_text(program)
    with served_site() as site:
        assert [run_program(installed, "first.mjs", site) for _ in range(2)] == [promised] * 2


def test_the_examples_of_the_formula_come_out(installed: Path) -> None:
    examples = re.findall(r"```js\n(.+?)```", README, re.DOTALL)
    rated, kept, read = (
        each for each in examples if re.search(r"^import .*\b(rate|Ratings|readMahjicId)\b", each)
    )
    assert run_example(installed, rated, "changes") == "[ 1872, 2752, -1152, -3472 ]\n"
    assert run_example(installed, kept, 'ratings.mahjic("Ada")') == (
        "{ ratingCenti: 151600, games: 4 }\n"
    )
    assert run_example(installed, read, 'readMahjicId(" mj-7k3q9xzm ")') == "MJ-7K3Q9XZM\n"


def test_the_example_of_the_rule_books_comes_out(installed: Path) -> None:
    examples = re.findall(r"```js\n(.+?)```", README, re.DOTALL)
    (scored,) = (each for each in examples if "scoring.js" in each)
    refused = (
        "winner_as_discarder The winner is also the discarder; no one wins off their own discard.\n"
    )
    for asked, promised in (
        ("settleAmerican(game)", "[ 100, -25, -25, -50 ]\n"),
        ("settleAmerican(game, TOURNAMENT)", "[ 25, 0, 0, -20 ]\n"),
        ('settleAmerican(game, { way: "tournament", exposed2: 15 })', "[ 25, 0, 0, -15 ]\n"),
    ):
        assert run_example(installed, scored, asked) == refused + promised


def run_example(folder: Path, example: str, asked: str) -> str:
    """Run an example, and return what it then says of something in it."""
    assert asked in example or f"const {asked} = " in example
    (folder / "example.mjs").write_text(f"{example}console.log({asked});\n")
    return run_program(folder, "example.mjs")


def run_program(folder: Path, name: str, site: ServedSite | None = None) -> str:
    """Run a program in Node, and return what it prints."""
    more = {"MAHJIC_URL": site.url, "MAHJIC_KEY": site.keys["source"]} if site else {}
    environment = {**os.environ, **more}
    ended = subprocess.run(
        [find_node(), name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout
