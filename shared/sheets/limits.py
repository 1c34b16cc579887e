"""How much of a file is read; a score sheet of 100 rounds has some 700 rows and 3,000 cells."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file. Each is far above what a night of games needs, and bounds memory.

    `tags_max` counts what opens or closes an element in the XML of a workbook: a reader builds an
    object for each.
    """

    bytes_max: int = 10 * 1024 * 1024
    unpacked_bytes_max: int = 32 * 1024 * 1024
    styles_bytes_max: int = 2 * 1024 * 1024
    tags_max: int = 500_000
    entries_max: int = 2_000
    sheets_max: int = 100
    rows_max: int = 5_000
    columns_max: int = 256
    cells_max: int = 50_000
    cell_characters_max: int = 2_000
