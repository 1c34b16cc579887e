"""People who log in, on a real database and with a clock that is wound by hand."""
