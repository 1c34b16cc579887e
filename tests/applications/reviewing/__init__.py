"""Advice on applications: what is shown to an agent, and what of its answer comes through."""
