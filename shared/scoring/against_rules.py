"""What a rule book does not allow, before anybody knows on which line it was written."""


class AgainstTheRules(ValueError):
    """A hand that cannot be: `code` names the rule, the message says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
