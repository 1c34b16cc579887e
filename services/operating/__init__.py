"""What an operator does beside the service: sees how it stands, moves its logs, repairs them."""
