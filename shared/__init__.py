"""What every service agrees on; imports nothing from services."""
