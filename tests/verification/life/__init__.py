"""What happens to people who are Verified, told as stories."""
