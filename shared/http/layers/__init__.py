"""The layers around the application, each for one thing."""
