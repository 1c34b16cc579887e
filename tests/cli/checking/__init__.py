"""What `mahjic check` finds, at a small service that is put together by hand."""
