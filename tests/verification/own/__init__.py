"""What somebody is told about being Verified."""
