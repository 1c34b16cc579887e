"""Starting a command: it imports what it needs, which is not checked over and over."""

import gc
import subprocess
import sys

from shared.machine.memory import made_for_good


def test_the_collector_leaves_alone_what_is_made_for_good_and_nothing_else() -> None:
    with made_for_good():
        kept = [["of", "a module"]]
    made_later = [["of", "a request"]]
    checked = {id(each) for each in gc.get_objects()}
    assert id(kept) not in checked
    assert id(made_later) in checked
    assert gc.isenabled()


def test_a_service_starts_without_what_few_services_need() -> None:
    rare = {"faststream", "matplotlib", "numba", "openpyxl", "stripe"}
    assert not rare & imported_by("services.cli.processes.serve")


def test_what_answers_nobody_starts_without_routes_and_pages() -> None:
    imported = imported_by("services.cli.processes.relay", "services.cli.processes.rater")
    assert not {"services.roles", "services.ports", "services.site_port"} & imported


def imported_by(*modules: str) -> set[str]:
    asked = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    return {*printed.stdout.decode().split()}
