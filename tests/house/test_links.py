"""Links that are committed lead to files of the checkout, not to folders of somebody's machine."""

import shutil
import subprocess

import pytest

from tests.test_tidy import ROOT

LINK = "120000"


def test_every_link_that_is_kept_leads_to_a_file_that_is_kept() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    listed = subprocess.run(
        [git, "ls-files", "--stage", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    kept = [line.split("\t") for line in listed.stdout.split("\0") if line]
    names = {name for _, name in kept}
    links = [name for mode, name in kept if mode.startswith(LINK)]
    assert links
    led_to = {name: (ROOT / name).resolve() for name in links}
    astray = [
        name
        for name, path in led_to.items()
        if not path.is_relative_to(ROOT.resolve())
        or not any(each.startswith(str(path.relative_to(ROOT.resolve()))) for each in names)
    ]
    assert astray == [], f"git rm --cached {' '.join(astray)}, and name them in .gitignore"
