"""Postgres: the pool, the migrations, the embedded server, backup and restore."""
