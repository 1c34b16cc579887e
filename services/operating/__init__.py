"""What an operator does next to the service: checks its status, moves its logs, repairs them."""
