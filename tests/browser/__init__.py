"""The site as a person meets it: in a real browser, on a phone and at a desk."""
