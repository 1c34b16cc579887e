"""Pages to log in and out, and to see and change how one's account is entered."""
