"""Makes and reads the texts that prove something: tokens, and codes that people type. Pure.

Only hashes of them are kept. A token has 256 random bits, and needs no salt and no slow hash. A
code has 40, so its hash is keyed with the token of the browser that may use it, which is kept
nowhere.
"""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final

from shared.ids import CROCKFORD, READ_AS_DIGITS

TOKEN_BYTES: Final = 32
CODE_BYTES: Final = 5
CODE_CHARACTERS: Final = 8
ID_BYTES: Final = 10
# Nobody types more around a code than spaces and dashes.
_TYPED_CHARACTERS_MAX: Final = 40
_TOKEN: Final = re.compile(r"[0-9A-Za-z_-]{43}", re.ASCII)
_ID: Final = re.compile(f"[a-z]{{3}}_[{CROCKFORD}]{{16}}")
_CODE: Final = re.compile(f"[{CROCKFORD}]{{{CODE_CHARACTERS}}}")
# Phones turn a dash into longer ones.
_BETWEEN: Final = re.compile("[\\s.\u2010-\u2015\u2212-]+")


def token_of(random_bytes: bytes) -> str:
    """Return the token of 32 random bytes: 43 characters that stand in links and cookies."""
    assert len(random_bytes) == TOKEN_BYTES
    return urlsafe_b64encode(random_bytes).rstrip(b"=").decode()


def is_token(text: str) -> bool:
    """Return whether a text has the shape of a token."""
    return _TOKEN.fullmatch(text) is not None


def token_hash(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def code_of(random_bytes: bytes) -> str:
    """Return the code of 5 random bytes, such as 7K3Q9XZM."""
    assert len(random_bytes) == CODE_BYTES
    return _base32(random_bytes)


def shown_code(code: str) -> str:
    """Return a code as people read it: 7K3Q-9XZM."""
    return f"{code[:4]}-{code[4:]}"


def read_code(typed: str) -> str | None:
    """Return the code that somebody typed, None if it can't be one.

    Case, spaces and dashes do not matter; `O` is read as 0, `I` and `L` as 1.
    """
    if len(typed) > _TYPED_CHARACTERS_MAX or not typed.isprintable():
        return None
    code = _BETWEEN.sub("", typed).upper().translate(READ_AS_DIGITS)
    return code if _CODE.fullmatch(code) else None


def code_hash(code: str, browser_token: str) -> bytes:
    """Return what is kept of a code that is for one browser."""
    return hmac.digest(browser_token.encode(), code.encode(), "sha256")


def id_of(prefix: str, random_bytes: bytes) -> str:
    """Return an id such as acc_0123456789ABCDEF."""
    assert len(random_bytes) == ID_BYTES
    return f"{prefix}_{_base32(random_bytes)}"


def is_id(text: str) -> bool:
    """Return whether a text has the shape of an id of ours."""
    return _ID.fullmatch(text) is not None


def _base32(random_bytes: bytes) -> str:
    number = int.from_bytes(random_bytes, "big")
    count = len(random_bytes) * 8 // 5
    return "".join(CROCKFORD[number >> 5 * place & 31] for place in reversed(range(count)))
