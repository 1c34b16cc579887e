"""Replays whose answers a test waits for, however busy the machine is."""

from functools import partial

from services.projections.history.replays import Replays
from tests.log.deadlines import DEADLINE_S

patient_replays = partial(Replays, wait_s_max=DEADLINE_S)
