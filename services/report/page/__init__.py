"""The report as one page that needs nothing but itself: for a screen, for a phone, for paper."""
