"""The desk of a source: the pages on which its members enter nights, and look after what is its."""
