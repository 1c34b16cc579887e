"""The members of a source: who keeps its desk, invited, changed and removed by its owners."""
