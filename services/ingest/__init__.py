"""From claim to fact: the only place that writes facts."""
