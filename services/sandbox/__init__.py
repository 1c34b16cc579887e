"""What visitors of a sandbox do: make sources without review, and read the mail they caused."""
