"""What browsers send and keep: the fields of forms, and cookies."""
