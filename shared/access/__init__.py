"""Who may submit and ask: the verified sources and the API keys."""
