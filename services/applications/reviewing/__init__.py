"""An agent's advice on applications: data of a fixed shape that a person reads, and no more."""
