"""The packages in clients, which other people's programs use."""
