"""The rule books: from games kept by hand to points, and from points to session claims (PURE)."""
