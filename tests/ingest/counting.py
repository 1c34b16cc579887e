"""A pool that writes down what is asked, to compare the work that requests take."""

from typing import Any


class CountingPool:
    """A pool that writes down what each of its connections is asked, in `asked`."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.asked: list[list[str]] = []

    def acquire(self) -> Any:
        self.asked.append([])
        return _Counted(self._pool, self.asked[-1])


class _Counted:
    """A connection of a pool that writes down what it is asked."""

    def __init__(self, pool: Any, asked: list[str]) -> None:
        self._acquired, self._asked = pool.acquire(), asked

    async def __aenter__(self) -> Any:
        connection = await self._acquired.__aenter__()
        self._connection = connection
        connection.add_query_logger(self._note)
        return connection

    def _note(self, record: Any) -> None:
        # A connection that is new asks for the types of arguments before its first query of a kind,
        # and turns `jit` off meanwhile.
        if "typeinfo_tree" not in record.query and "'jit'" not in record.query:
            self._asked.append(record.query)

    async def __aexit__(self, *error: object) -> None:
        self._connection.remove_query_logger(self._note)
        await self._acquired.__aexit__(*error)
