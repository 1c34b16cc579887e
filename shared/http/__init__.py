"""HTTP: the building blocks of every service's answers; they know nothing of the services."""
