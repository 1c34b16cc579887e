"""The same account over the network: Stripe's mock judges each request, and people have pages."""
