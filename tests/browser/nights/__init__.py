"""Nights are entered in a real browser: live, by keyboard, and with everything going wrong."""
