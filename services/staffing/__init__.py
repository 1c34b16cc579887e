"""What the staff desk does behind its pages: operators' own functions, each kept as an act."""
