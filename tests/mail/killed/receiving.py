"""The other program that a test kills: a real SMTP server that writes down what it takes."""

import asyncio
import os
import sys

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.mail.post_office import parsed


class WritingOffice:
    """Writes whom each mail was to and its Message-ID before it says that it took it."""

    def __init__(self, file: str) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        message = parsed(envelope.original_content or b"")
        line = f"{envelope.rcpt_tos[0]} {message['Message-ID']} {message['Subject']}\n"
        os.write(self._file, line.encode())
        await asyncio.sleep(0)  # A kill may come between what is written and what is said.
        return "250 Taken"


async def receive(file: str, port: int) -> None:
    office, loop = WritingOffice(file), asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(office, hostname="localhost", loop=loop), "127.0.0.1", port
    )
    print("It receives", flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(receive(sys.argv[1], int(sys.argv[2])))
