"""What everybody needs who causes a mail: letters, the outbox, and who wants no more mail."""
