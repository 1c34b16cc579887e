"""How much of a file is read; a score sheet of 100 rounds has about 700 rows and 3,000 cells."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one file. Each is far above what a night of games needs.

    A file within all of them takes about two seconds of processor time. `tags_max` counts the tags
    that open or close an element in the XML of a workbook: it leaves room for a hundred thousand
    cells with nothing but a border, as Excel leaves them behind. `others_tags_max` is for the parts
    that only name other parts. `formats_max` is for number formats, of which Excel itself allows
    250; `strings_max` is for the different texts in all sheets of the workbook.
    """

    bytes_max: int = 10 * 1024 * 1024
    unpacked_bytes_max: int = 16 * 1024 * 1024
    styles_bytes_max: int = 2 * 1024 * 1024
    tags_max: int = 300_000
    others_tags_max: int = 5_000
    entries_max: int = 2_000
    sheets_max: int = 100
    strings_max: int = 50_000
    formats_max: int = 500
    rows_max: int = 5_000
    columns_max: int = 256
    cells_max: int = 20_000
    cell_characters_max: int = 2_000
