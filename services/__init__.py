"""The services of Mahjic: claim in, fact, verdict, view out."""
