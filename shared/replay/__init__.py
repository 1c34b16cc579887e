"""What happened, in columns, and the ratings that follow from it as of any fact."""
