"""An account at Stripe without Stripe: what it holds, what people do to it, and the port on it."""
