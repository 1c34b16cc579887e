"""Who is logged in, and what they choose about themselves, for the pages of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.accounts.logging_in.logins import Login, NotLoggedIn
from services.accounts.own.mail_choices import MailChoice, choose_mail, mail_choice_of
from services.accounts.own.own_addresses import proved_addresses
from services.accounts.owners import lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.people.about_oneself import OfferedName, OwnDetails, read_own
from services.ingest.people.choices import Choices
from services.ingest.people.own_addresses import KnownPlayer, player_of, players_of
from services.ingest.people.room import PeopleOfAccounts
from services.site.me.people import (
    AboutMe,
    KnownBySource,
    LoggedIn,
    MyChoices,
    ProposedName,
)
from shared.mail.no_more import allow_mail, wants_no_more


@dataclass(frozen=True, slots=True)
class OwnPlayers:
    """Keeps the promises of PeopleLoggedIn."""

    accounts: Accounts
    people: PeopleOfAccounts

    async def person(self, login: Login) -> LoggedIn:
        """Return who is logged in."""
        return await self.accounts.settled(lambda c: find_person_of(c, login))

    async def about(self, person: LoggedIn) -> AboutMe:
        """Return what is on record about somebody with a player."""
        return _about(await self.accounts.settled(lambda c: read_own(c, person.player_id)))

    async def mail_choice(self, person: LoggedIn) -> MailChoice | None:
        """Return what mail somebody wants; no summaries where a link of theirs has ended them."""

        async def read(connection: Connection) -> MailChoice | None:
            wants = await mail_choice_of(connection, person.login.account_id)
            if wants != "summary" or not (hashes := self._hashes(person)):
                return wants
            has_ended = [await wants_no_more(connection, each) for each in hashes]
            return "important" if all(has_ended) else wants

        return await self.accounts.settled(read)

    async def choose(self, person: LoggedIn, choices: MyChoices) -> None:
        """Write down what somebody chose; whoever has no player gets one."""

        async def write(connection: Connection) -> None:
            # First, as it locks the log: whoever forgets or merges a player locks that first, too,
            # so what is read from here on stays as it is.
            await self.people.begin(connection)
            account = await lock_account(connection, person.login.account_id)
            now = None if account is None else await find_person_of(connection, person.login)
            if account is None or now is None or not now.addresses:
                raise NotLoggedIn
            player_id = await self._player(connection, now)
            chosen = Choices(choices.name, choices.region, choices.is_private)
            await self.people.choose(connection, player_id, chosen)
            for other in now.players[1:]:
                # Whoever wants to be seen by nobody means all that is theirs. But nothing more is
                # shown than the form told of.
                if choices.is_private:
                    await self.people.choose(connection, other, Choices(is_private=True))
            await choose_mail(self.accounts, connection, account.account_id, choices.mail)
            if choices.mail == "summary":
                for each in self._hashes(now):
                    await allow_mail(connection, each)

        await self.accounts.settled(write)

    async def _player(self, connection: Connection, person: LoggedIn) -> str:
        if person.players:
            return person.player_id
        return (await self.people.claim(connection, person.addresses[0])).player_id

    def _hashes(self, person: LoggedIn) -> Sequence[bytes]:
        """Return by what is known who ended their mail. Without a key nobody can have done so."""
        hashes = self.accounts.hashes
        return [] if hashes is None else [hashes.of(each) for each in person.addresses]


async def find_person_of(connection: Connection, login: Login) -> LoggedIn:
    """Return the person of a login, as everything stands in the open transaction."""
    addresses = await proved_addresses(connection, login.account_id)
    found = [await player_of(connection, address) for address in addresses]
    # Several addresses may be those of one player.
    players = list(dict.fromkeys(each for each in found if each is not None))
    has_chosen = await mail_choice_of(connection, login.account_id) is not None
    return LoggedIn(login, addresses, players, has_chosen)


async def players_of_login(connection: Connection, login: Login) -> Sequence[KnownPlayer]:
    """Return the players of a login with all their ids and addresses, in the same order."""
    return await players_of(connection, await proved_addresses(connection, login.account_id))


def _about(own: OwnDetails) -> AboutMe:
    return AboutMe(
        player_id=own.player_id,
        merged=own.merged,
        name=own.name,
        region=own.region,
        region_of_source=own.region_of_source,
        is_private=own.is_private,
        privacy_by=own.privacy_by,
        is_verified=own.is_verified,
        proposed=_proposed(own.offered_names),
        sources=[KnownBySource(slug, name) for slug, name in own.sources],
    )


def _proposed(offered: Sequence[OfferedName]) -> Sequence[ProposedName]:
    """Return each name once, with all who sent it."""
    sent: dict[str, dict[str, None]] = {}
    for each in offered:
        sources = sent.setdefault(each.name, {})
        if each.source is not None:
            sources[each.source_name or each.source] = None
    return [ProposedName(name, tuple(sources)) for name, sources in sent.items()]
