"""The rule books: from games counted by hand to points, and from points to session claims. Pure."""
