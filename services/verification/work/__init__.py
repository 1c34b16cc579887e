"""What is done in the background: events, looks at Stripe, requests, and what time brings."""
