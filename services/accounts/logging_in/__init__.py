"""From an address or a passkey to a login: what is asked, proved, limited, and kept."""
