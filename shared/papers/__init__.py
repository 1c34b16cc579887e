"""Pages that stand alone: one HTML file with everything in it, to be sent around and printed."""
