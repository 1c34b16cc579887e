"""The public logs of a service: taken in, signed, served, stopped and begun again."""
