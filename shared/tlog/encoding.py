"""Reads base64 in its one form: another text for the same bytes is none. Pure."""

import base64
import binascii


def read_base64(text: str) -> bytes:
    """Return the bytes that a text stands for; none if it is not the one text for them."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return b""
    return data if base64.b64encode(data).decode() == text else b""
