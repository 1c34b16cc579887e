"""Stripe as the tests meet it: its own mock, an account that keeps state, and the promises."""
