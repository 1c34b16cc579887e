"""Score sheets: a file in, a session's claim or located mistakes out, and back."""
