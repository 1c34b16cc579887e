"""The site as a part of a whole service: every route that there is, and people who have played."""
