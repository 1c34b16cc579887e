"""The pages on which owners decide who keeps the desk of their source, and people answer them."""
