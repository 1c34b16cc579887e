"""The `mahjic demo` command."""
