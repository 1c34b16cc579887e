"""The pages on which owners say where events are sent, and see what became of them."""
