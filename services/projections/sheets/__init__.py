"""Sessions on record, written as score sheets again, and the empty sheet."""
