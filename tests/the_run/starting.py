"""Tells which tests start a server or the program itself, so that `make check` leaves them out.

It is worked out as the tests are collected: from the fixtures that a test asks for, and from what
its code names, as far as that is code of the tests. What is overlooked fails, and says what to do.
"""

import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import pytest

MARK: Final = "starts_servers"
# Fixtures that start something; whoever asks for one asks for it through others, too.
FIXTURES: Final = frozenset(
    {"server_folder", "kafka_broker", "own_broker", "stripe_mock_url", "witness"}
)
# What starts something when it is called: tests name it, or name what names it.
STARTERS: Final = frozenset(
    {
        "shared.db.server.embedded.embedded_server",
        "tests.db.own_server.an_own_server",
        "tests.kafka.broker.Broker",
    }
)
# Modules that are run as programs: code starts one that holds, or names, a command line of it.
OUR_PROGRAMS: Final = ("services.cli", "tests.db.programs", "tests.kafka_demo")
SERVERS: Final = frozenset(
    {"postgres", "initdb", "pg_ctl", "docker", "nginx", "kafka.Kafka", "stripe-mock", "litewitness"}
)
# Commands that talk to a service, or to nobody, are no servers.
SERVING: Final = frozenset({"serve", "ingest", "rater", "relay", "projections", "read", "demo"})

# In the name of a test it is another in each process, and then they share no work.
MEMORY_ADDRESS: Final = re.compile(r"at 0x[0-9a-f]{6,}")

_unmarked: list[str] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that starts something, before anybody chooses by marks."""
    known: dict[int, bool] = {}
    moving = [item.nodeid for item in items if MEMORY_ADDRESS.search(item.nodeid)]
    if moving:
        raise pytest.UsageError(f"Two processes would call this test differently: {moving[0]}")
    # Processes that share the work know tests by their names, and would run one of these.
    names = Counter(item.nodeid for item in items)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise pytest.UsageError(f"Several tests have this name, and need one each: {twice[0]}")
    for item in items:
        assert isinstance(item, pytest.Function)
        if FIXTURES & _fixtures_of(item) or any(
            _names_starter(each, known) for each in _code_of(item)
        ):
            item.add_marker(MARK)


def _fixtures_of(item: pytest.Function) -> set[str]:
    """Return the fixtures of a test, with those that a parameter of it names."""
    manager = item.session._fixturemanager
    found, ahead = set(), list(item.fixturenames)
    if hasattr(item, "callspec"):
        ahead += [each for each in item.callspec.params.values() if isinstance(each, str)]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            for fixture in manager.getfixturedefs(name, item) or ():
                ahead += fixture.argnames
    return found


def _code_of(item: pytest.Function) -> Iterator[Any]:
    """Yield a test and the functions of its fixtures."""
    yield item.function
    for name in _fixtures_of(item):
        for fixture in item.session._fixturemanager.getfixturedefs(name, item) or ():
            yield fixture.func


def _names_starter(thing: Any, known: dict[int, bool]) -> bool:
    """Tell whether a function or class is a starter, or names one, over any number of steps."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    if id(thing) in known:
        return known[id(thing)]
    known[id(thing)] = False  # So that those who name each other come to an end.
    name = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__name__', '')}"
    known[id(thing)] = (
        name in STARTERS
        or any(map(_is_command_line, _texts_of(thing)))
        or any(_names_starter(each, known) for each in _named_by(thing))
    )
    return known[id(thing)]


def _is_command_line(text: str) -> bool:
    return text in OUR_PROGRAMS or any(f"-m {each}" in text for each in OUR_PROGRAMS)


def _texts_of(thing: Any) -> Iterator[str]:
    """Yield the texts in the code of a function, and in what it names beside it."""
    if not inspect.isfunction(thing):
        return
    yield from _names_in(thing.__code__)
    for name in _names_in(thing.__code__):
        named = thing.__globals__.get(name)
        if isinstance(named, tuple):
            yield from filter(_is_text, named)


def _named_by(thing: Any) -> Iterator[Any]:
    """Yield the functions and classes that a function or class of the tests names."""
    name = str(getattr(thing, "__module__", ""))
    if not (name.startswith("tests.") or name.rpartition(".")[2].startswith("test_")):
        return
    if inspect.isclass(thing):
        methods = (getattr(each, "__func__", each) for each in vars(thing).values())
        yield from (each for each in methods if inspect.isfunction(each))
        yield from thing.__bases__
        return
    module = sys.modules[name]
    for name in _names_in(thing.__code__) if inspect.isfunction(thing) else ():
        named = getattr(module, name, None)
        if isinstance(named, ModuleType):
            continue
        if inspect.isfunction(named) or inspect.isclass(named):
            yield named


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names and texts in code, and in the functions within it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_in(each)
        elif isinstance(each, str | tuple):
            yield from (each,) if isinstance(each, str) else filter(_is_text, each)


def _is_text(constant: object) -> bool:
    return isinstance(constant, str)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know which test runs that may start nothing."""
    _unmarked[:] = [] if item.get_closest_marker(MARK) else [item.nodeid]
    try:
        return (yield)
    finally:
        _unmarked.clear()


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Fail a test that starts what it was not expected to."""
    if event == "subprocess.Popen" and _unmarked:
        started = [str(each) for each in arguments[1]]
        names = {Path(started[0]).name, *" ".join(started).split()}
        is_ours = not names.isdisjoint(OUR_PROGRAMS[1:]) or (
            OUR_PROGRAMS[0] in names and not names.isdisjoint(SERVING)
        )
        if is_ours or not SERVERS.isdisjoint(names):
            pytest.fail(
                f"This test starts {' '.join(started)[:80]}, and was thought to start nothing. "
                f"Give it `@pytest.mark.{MARK}`, so that `make check` leaves it out."
            )


sys.addaudithook(_refuse)
