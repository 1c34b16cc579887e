"""Tests of what other sites show of Mahjic."""
