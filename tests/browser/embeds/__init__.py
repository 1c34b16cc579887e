"""Pages of other sites that show Mahjic."""
