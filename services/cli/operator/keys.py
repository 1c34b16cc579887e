"""The commands for API keys; a key is written once, alone, to stdout."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from services.cli.terminal.options import DataFolder, IsNew, on_database
from services.cli.terminal.output import hint, minute, or_dash, say, show_table
from shared.access import keys
from shared.access.keys import Key, KeyKind

COLUMNS = ("key_id", "kind", "source", "created", "revoked")


def create(
    slug: Annotated[
        str | None, typer.Argument(metavar="SLUG", help="The source that the key submits for.")
    ] = None,
    operator: Annotated[bool, typer.Option("--operator", help="An operator key.")] = False,
    auditor: Annotated[bool, typer.Option("--auditor", help="A key that reads the logs.")] = False,
    is_new: IsNew = False,
    data: DataFolder = None,
) -> None:
    """Create an API key and print it. It is shown only once."""
    if [slug is not None, operator, auditor].count(True) != 1:
        raise typer.BadParameter("Give one of: the slug of a source, --operator, --auditor.")
    kind: KeyKind = "operator" if operator else "auditor" if auditor else "source"
    now = datetime.now(UTC)
    key, text = on_database(
        data, lambda pool: keys.create_key(pool, kind, slug, now=now), is_new=is_new
    )
    say(text)
    hint(f"This is {key.key_id}. It is shown only this once; Mahjic keeps just its hash.")


def list_all(data: DataFolder = None) -> None:
    """List all API keys, by their ids."""
    show_table(COLUMNS, [_row(key) for key in on_database(data, keys.list_keys)])


def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, like key_7K3Q9XZM.")],
    data: DataFolder = None,
) -> None:
    """Refuse an API key from now on."""
    now = datetime.now(UTC)
    on_database(data, lambda pool: keys.revoke_key(pool, key_id, now=now))
    say(f"The key {key_id} is revoked.")


def _row(key: Key) -> Sequence[str]:
    return (
        key.key_id,
        key.kind,
        or_dash(key.source),
        minute(key.created_at),
        "-" if key.revoked_at is None else minute(key.revoked_at),
    )
