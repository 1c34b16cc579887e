"""What happened lately: sessions that came in, and who played in them."""
