"""What people see when a page is not there, not yet there, or not all there."""
