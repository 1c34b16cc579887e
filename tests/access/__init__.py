"""Tests of sources, API keys and how a key is looked up."""
