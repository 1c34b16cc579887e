"""What other sites show of Mahjic in a frame or by a script, and the page that tells how."""
