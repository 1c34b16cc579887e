"""Everything that is said to Stripe and heard from it."""
