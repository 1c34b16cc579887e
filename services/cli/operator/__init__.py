"""The commands of whoever operates Mahjic."""
