"""How people come in by mail, and how long they stay."""
