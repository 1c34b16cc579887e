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
    asked = "import sys, services.cli.processes.serve; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert not {"faststream", "matplotlib", "numba", "openpyxl", "stripe"} & {
        *printed.stdout.decode().split()
    }
