"""The pictures beside a link."""
