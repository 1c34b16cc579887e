"""What a rule book does not allow, before the line it was on is known."""


class AgainstTheRules(ValueError):
    """An impossible hand: `code` names the rule, and the message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
