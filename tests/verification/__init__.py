"""Who is Verified: what is paid, what is checked, and what Stripe says of both."""
