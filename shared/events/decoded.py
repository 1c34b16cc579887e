"""Verdicts that one reader of a process has decoded, for another that reads them soon after."""

from typing import Final

from shared.events.codec import Verdict, decode_verdict
from shared.events.verdicts import SessionRated

# As many as come while the other reader gathers; with the longest sessions they take 50 MB.
VERDICTS_MAX: Final = 250


class DecodedVerdicts:
    """The verdicts decoded last, by their chains, each of which covers every byte."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Verdict] = {}

    def decode(self, chain: bytes, body: bytes) -> Verdict:
        """Decode a verdict, and keep it if it is on a session; others may take megabytes.

        Raises as `decode_verdict` does.
        """
        verdict = decode_verdict(body)
        if isinstance(verdict.event, SessionRated):
            self._kept[chain] = verdict
        if len(self._kept) > VERDICTS_MAX:
            del self._kept[next(iter(self._kept))]
        return verdict

    def take(self, chain: bytes, body: bytes) -> Verdict:
        """Take a verdict out, or decode it if it is not here. Raises as `decode_verdict` does."""
        return self._kept.pop(chain, None) or decode_verdict(body)
