"""An id with a typo, whatever the id is."""


def mistyped(text: str) -> str:
    """Return a text, which ends with an id, with another last character.

    Only the check character is wrong then. An O would do no harm: it is read as a 0.
    """
    return text[:-1] + ("2" if text[-1] == "0" else "0")
