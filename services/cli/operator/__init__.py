"""The commands for the operator of Mahjic."""
