"""Starting a command: what it imports is not checked over and over, and the rest is."""

import gc

from shared.machine.memory import made_for_good


def test_the_collector_leaves_alone_what_is_made_for_good_and_nothing_else() -> None:
    with made_for_good():
        kept = [["of", "a module"]]
    made_later = [["of", "a request"]]
    checked = {id(each) for each in gc.get_objects()}
    assert id(kept) not in checked
    assert id(made_later) in checked
    assert gc.isenabled()
