"""One person's whole way with Mahjic: from the first mail until nothing tells of them anymore."""
