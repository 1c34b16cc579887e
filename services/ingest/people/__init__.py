"""What people who log in do about themselves.

Functions take an open transaction, and those that write take what holds the head. They trust that
the caller knows who is asking: that an account has proved the address, or that a player is its own.
"""
