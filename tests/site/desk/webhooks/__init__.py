"""The pages of webhooks, with servers on this machine."""
