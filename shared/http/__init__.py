"""HTTP: the building blocks that every service answers with; they know no service."""
