"""The command that checks a service by its public log, as anyone can, without an account."""
