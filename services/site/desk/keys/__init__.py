"""The pages on which owners make and revoke the keys of their source."""
