"""Tests of what joins accounts with players."""
