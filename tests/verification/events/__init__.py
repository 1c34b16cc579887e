"""What Stripe sends to a service that runs, and what others send there."""
