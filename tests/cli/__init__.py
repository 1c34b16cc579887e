"""Tests of the `mahjic` command."""
