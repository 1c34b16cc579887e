"""A second implementation of the law of corrections, for tests only: dicts, lists, full replays."""
