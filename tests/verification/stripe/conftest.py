"""Gives the tests of this folder the port on every adapter."""

from tests.verification.stripe.rigs import rig, rig_in_memory, rig_over_http

__all__ = ["rig", "rig_in_memory", "rig_over_http"]
