"""Opens XLSX workbooks within limits."""
