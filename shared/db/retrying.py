"""Waits before something is tried again that failed for want of the database."""

import asyncio


async def before_retry(wait_s: float) -> None:
    """Wait, unless the task was asked to end meanwhile.

    A connection that is lost at the moment of being asked tells only that it was lost. Whoever runs
    in a group of tasks is asked once, and would go on forever. Raises CancelledError.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    await asyncio.sleep(wait_s)
