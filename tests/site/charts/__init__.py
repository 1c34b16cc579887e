"""Rating charts, drawn and told."""
