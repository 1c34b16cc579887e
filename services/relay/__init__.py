"""Fact to its copy: the only place where facts are sent to where the rater reads them."""
