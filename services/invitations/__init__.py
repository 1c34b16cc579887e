"""Mail about what was rated: an invitation to whoever is rated first, and a night in short.

It follows the verdicts with a place of its own, and decides later, by what is on record then.
"""
