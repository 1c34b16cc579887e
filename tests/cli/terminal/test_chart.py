"""The chart of a rating, against drawings made by hand."""

from services.cli.terminal.chart import draw_chart


def test_a_rating_that_rises_and_falls_is_drawn_with_its_axis() -> None:
    drawn = draw_chart(
        [1500, 1520, 1510], columns=24, rows=3, first="2026-01-31", last="2026-02-07"
    )
    assert drawn == [
        "1520.0 ┤        ╭───────╮",
        "1510.0 ┤        │       ╰───────",
        "1500.0 ┤────────╯",
        "       └────────────────────────",
        "        2026-01-31    2026-02-07",
    ]


def test_a_steep_fall_is_one_line() -> None:
    drawn = draw_chart([1500, 1500, 1497, 1497], columns=4, rows=4)
    assert drawn[:4] == ["1500.0 ┤──╮", "1499.0 ┤  │", "1498.0 ┤  │", "1497.0 ┤  ╰─"]


def test_a_rating_that_never_moved_is_a_level_line() -> None:
    drawn = draw_chart([1500], columns=5, rows=3)
    assert drawn == ["1501.0 ┤", "1500.0 ┤─────", "1499.0 ┤", "       └─────", ""]


def test_a_long_history_fits_and_ends_with_the_rating_now() -> None:
    drawn = draw_chart([*range(1000), 0], columns=50, rows=5)
    assert {len(line) for line in drawn[:-1]} <= set(range(8, 58))
    assert drawn[4].endswith("╰")


def test_labels_of_different_lengths_stand_to_the_right() -> None:
    drawn = draw_chart([-50, 1500], columns=2, rows=2)
    assert drawn[:2] == ["1500.0 ┤ ╭", " -50.0 ┤─╯"]
