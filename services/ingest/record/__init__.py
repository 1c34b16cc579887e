"""The record: one queue, one transaction at a time, and what becomes a fact."""
