"""Programs of others that judge our public logs."""
