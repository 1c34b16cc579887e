"""What holds for every test: hypothesis prints how to repeat a failure, and never judges speed."""

from hypothesis import settings

# A busy machine can make any single example slow, which says nothing about the law under test.
settings.register_profile("mahjic", deadline=None, print_blob=True)
settings.load_profile("mahjic")
