"""Hands mails to an SMTP server, over a connection that is kept for the next one.

What the server says is never logged: it likes to repeat the address. Its number is enough.
"""

import asyncio
import contextlib
import ssl
from email.utils import parseaddr
from typing import Final

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPException,
    SMTPNotSupported,
    SMTPRecipientRefused,
    SMTPResponseException,
)

from services.mail.message import UnwritableMail, message_bytes
from services.mail.posts import (
    NAME_NOT_ALLOWED,
    MailHold,
    MailPutOff,
    MailRefused,
    PostAway,
)
from services.mail.ways import SmtpServer, domain_of
from shared.mail.taking import TakenMail

# A server that says nothing for so long is taken for gone. RFC 5321 (4.5.3.2) wants five minutes
# for most answers and ten for the last; relays of today answer within seconds.
ANSWER_S_MAX: Final = 120.0
CONNECT_S_MAX: Final = 20.0
GOODBYE_S_MAX: Final = 2.0
PERMANENT: Final = range(500, 600)


class SmtpPost:
    """One connection to the server, opened when it is needed and closed when it is not."""

    def __init__(
        self,
        server: SmtpServer,
        sender: str,
        *,
        answer_s_max: float = ANSWER_S_MAX,
        connect_s_max: float = CONNECT_S_MAX,
    ) -> None:
        self._server = server
        self._sender = sender
        self._answer_s_max = answer_s_max
        self._connect_s_max = connect_s_max
        self._smtp: SMTP | None = None

    async def send(self, hold: MailHold) -> None:
        """Send a mail. Raises MailRefused, MailPutOff, PostAway or LeaseOver."""
        mail, was_open = hold.mail, self._smtp is not None
        try:
            data = message_bytes(mail, message_id=mail.message_id, sender=self._sender)
        except UnwritableMail:
            raise MailRefused(NAME_NOT_ALLOWED) from None
        smtp = await self._connected()
        try:
            try:
                await self._begin(smtp, mail)
            except PostAway:
                if not was_open:
                    raise
                # A server may close a connection on which nothing came for a while.
                smtp = await self._connected_anew()
                await self._begin(smtp, mail)
            await self._hand_over(smtp, hold, data)
        except BaseException:
            # Whatever is left in the middle of this connection is not for the next mail.
            self._drop()
            raise

    async def close(self) -> None:
        """Say goodbye to the server."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            with contextlib.suppress(SMTPException, OSError, TimeoutError):
                await smtp.quit(timeout=GOODBYE_S_MAX)
            smtp.close()

    async def _connected(self) -> SMTP:
        if self._smtp is not None and self._smtp.is_connected:
            return self._smtp
        return await self._connected_anew()

    async def _connected_anew(self) -> SMTP:
        self._drop()
        smtp = _client(self._server, domain_of(self._sender), self._answer_s_max)
        try:
            # Also if it gets stuck between two answers.
            async with asyncio.timeout(self._connect_s_max):
                await smtp.connect()
                await smtp.ehlo()
        except SMTPResponseException as error:
            smtp.close()
            raise PostAway(f"it answered {error.code} before any mail") from None
        except ssl.SSLCertVerificationError as error:
            smtp.close()
            raise PostAway(f"its certificate is not good: {error.verify_message}") from None
        except (SMTPException, OSError, TimeoutError) as error:
            smtp.close()
            raise PostAway(_why(error)) from None
        except BaseException:
            smtp.close()
            raise
        self._smtp = smtp
        return smtp

    def _drop(self) -> None:
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None

    async def _begin(self, smtp: SMTP, mail: TakenMail) -> None:
        """Say who sends. What goes wrong here goes wrong with every mail."""
        options = []
        try:
            if not mail.address.isascii():
                if not smtp.supports_extension("smtputf8"):
                    raise MailRefused(NAME_NOT_ALLOWED)
                options = ["SMTPUTF8", "BODY=8BITMIME"]
            await smtp.mail(parseaddr(self._sender)[1], options=options)
        except SMTPResponseException as error:
            raise PostAway(f"it answered {error.code} to our sender's address") from None
        except (SMTPException, OSError, TimeoutError) as error:
            raise PostAway(_why(error)) from None

    async def _hand_over(self, smtp: SMTP, hold: MailHold, data: bytes) -> None:
        address = hold.mail.address
        try:
            await smtp.rcpt(address, encoding="ascii" if address.isascii() else "utf-8")
            hold.check()
            await smtp.data(data)
        except (SMTPRecipientRefused, SMTPDataError) as error:
            if error.code in PERMANENT:
                raise MailRefused(error.code) from None
            raise MailPutOff(error.code) from None
        except SMTPResponseException as error:
            raise MailPutOff(error.code) from None
        except (SMTPException, OSError, TimeoutError):
            raise MailPutOff(None) from None
        except ValueError:  # The library's own check of the address, which it quotes.
            raise MailRefused(NAME_NOT_ALLOWED) from None


def _client(server: SmtpServer, own_name: str, answer_s_max: float) -> SMTP:
    return SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        local_hostname=own_name,
        timeout=answer_s_max,
        use_tls=server.safety == "tls",
        start_tls=server.safety == "starttls",
        validate_certs=True,
    )


def _why(error: Exception) -> str:
    """Return what to tell of an error: its kind, where its words may quote what was sent."""
    if type(error) in {SMTPException, SMTPNotSupported}:
        return str(error)  # The library's own words: what the server does not offer.
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not good: {cause.verify_message}"
    return type(cause or error).__name__
