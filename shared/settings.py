"""The settings of every command, read once from the environment (`MAHJIC_...`). Each limit has its
reason next to it.
"""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.setting_shapes import (
    CONTACT,
    KAFKA_PREFIX,
    KAFKA_SERVERS,
    MAIL_FROM,
    NEVER_EMPTY,
    PUBLIC_URL,
    REVIEW_URL,
    SMTP_URL,
    STRIPE_KEY,
    STRIPE_SECRET,
    STRIPE_SECRETS_MAX,
    Witnesses,
)


class Settings(BaseSettings):
    """All settings; a wrong one is refused by name before anything starts."""

    model_config = SettingsConfigDict(env_prefix="MAHJIC_", frozen=True, extra="ignore")

    # The address to listen on. Only this machine can reach the default.
    host: str = "127.0.0.1"
    # The port to listen on; 0 picks a free one. Commands on this host use it to find the service.
    port: int = Field(default=8000, ge=0, le=65535)

    # The folder of the embedded database; by default a folder of the user's.
    data: Path | None = None
    # A PostgreSQL server of your own (15 or newer) instead of the embedded one.
    database_url: SecretStr | None = None
    # The most connections to the database. The embedded server allows 100, and other commands need
    # some beside the service. It keeps up to eight for itself: for notifications, the right to
    # rate, the sign that it keeps the views, two for a build, and three while Stripe is asked.
    database_connections_max: int = Field(default=20, ge=9, le=90)

    # Where the rater keeps columns and checkpoints, so that a start need not read all facts. By
    # default this is `rater` in the data folder; with a server of your own there is none unless you
    # name one.
    rater_folder: Path | None = None

    # The Kafka brokers that hold the logs, as host:port separated by commas, when many processes
    # share the work. Otherwise the logs are tables.
    kafka_servers: str | None = None
    # Topics are PREFIX.facts and PREFIX.verdicts, so several installations can share a cluster.
    kafka_prefix: str = "mahjic"
    # Copies of each record. One is for trying things out: it is lost with its broker, so you must
    # ask for it explicitly.
    kafka_replication: int = Field(default=3, ge=1, le=9)
    # How to talk to the brokers: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.
    kafka_security: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    # How to prove the password, with SASL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "SCRAM-SHA-512"
    # The user name for the brokers, with SASL.
    kafka_user: str | None = None
    # The password of that user.
    kafka_password: SecretStr | None = None
    # The file of the authority that signed the brokers' certificates, unless the system knows it.
    kafka_ca_file: Path | None = None
    # The file of our own certificate, if the brokers ask for one.
    kafka_cert_file: Path | None = None
    # The file of its key.
    kafka_key_file: Path | None = None

    # Where to send traces of the projections, as OTLP over HTTP; nowhere by default.
    otlp_endpoint: str | None = Field(default=None, pattern=r"^https?://")

    # The name of this service, to tell two on one database apart; by default the host name and the
    # port.
    instance: str | None = Field(default=None, min_length=1, max_length=100)

    # The service that client commands talk to; by default the one on this host.
    url: str | None = None
    # The API key that client commands send.
    key: SecretStr | None = None

    # Where people find this service, as they type it into a browser. Links, previews and the
    # sitemap use it, and never what a request calls itself. By default `http://localhost:PORT`.
    public_url: str | None = Field(default=None, pattern=PUBLIC_URL.pattern, max_length=255)
    # Whom readers of the site, and those who find a hole in it, can write to: an email address or
    # an https link. The pages and security.txt show it; nobody by default.
    contact: str | None = Field(default=None, pattern=CONTACT.pattern, max_length=254)

    # The server that takes our mail: smtp://user:password@host:587 (with STARTTLS, unless it is on
    # this machine) or smtps://user:password@host:465. Without one, the embedded default writes each
    # mail as a file in the folder `mail` of the data folder. With a database of your own, mails
    # wait until you hand them on (`mahjic mail list`).
    smtp_url: SecretStr | None = None
    # Whom mail comes from, as ratings@example.org or Mahjic <ratings@example.org>.
    mail_from: str | None = Field(default=None, max_length=254)
    # The secret with which addresses are hashed where only a hash may be kept, such as who wants no
    # more mail: 32 characters or more, the same for all processes, and never changed. The embedded
    # default makes one in the data folder. With a server of your own and without it, nobody gets
    # mail that they did not ask for.
    address_hash_key: SecretStr | None = Field(default=None, min_length=32)

    # How many invitations ("You've been rated") are written in an hour at most, all processes
    # together. Large mail providers take a sender that begins with thousands for spam. 0 writes
    # none.
    invitations_per_hour: int = Field(default=500, ge=0)
    # Where to ask a model for advice on applications to become a source: the whole address of a
    # service that speaks Anthropic's messages API. A person decides; without one, they decide
    # without advice. Give all three of MAHJIC_REVIEW_URL, _KEY and _MODEL, or none.
    review_url: str | None = Field(default=None, max_length=500)
    # The key for that service.
    review_key: SecretStr | None = None
    # The model to ask there.
    review_model: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$")

    # What takes payments for Verified players and checks who they are: a restricted key of an
    # account at Stripe (rk_...). Without one, verification is not open here. Give all four of
    # MAHJIC_STRIPE_KEY, _WEBHOOK_SECRETS and _PRICE, and MAHJIC_IDENTITY_HASH_KEY, or none
    # (docs/verification.md).
    stripe_key: SecretStr | None = None
    # The signing secrets of the endpoint that gets Stripe's events, as a JSON list: one, or two
    # while one is being changed.
    stripe_webhook_secrets: tuple[SecretStr, ...] | None = None
    # The price of a year, which renews (price_...).
    stripe_price: str | None = Field(default=None, pattern=r"^price_[A-Za-z0-9]{1,100}$")
    # The secret with which documents are hashed, so that one person is one Verified player: 32
    # characters or more, the same for all processes, in no database and no backup of one, and never
    # changed.
    identity_hash_key: SecretStr | None = Field(default=None, min_length=32)
    # Where Stripe is, for tests.
    stripe_api_base: str | None = Field(default=None, pattern=r"^https?://[A-Za-z0-9.:-]+$")

    # Whether sources may have their events sent to this machine itself, also without TLS: for tests
    # and for trying things out. Where others have sources, it lets them reach what listens here.
    webhooks_loopback: bool = False
    # Whether events are sent to the servers of sources. Say no where a backup is tried, or those
    # servers get what was not sent when it was made.
    webhooks_sent: bool = True

    # The folder of the public logs, which lets anybody check what was rated; without one, there are
    # none. `mahjic transparency init` makes it (docs/transparency.md). It holds the key that signs
    # them, and the key of their salts: keep a copy of both, and never in the database.
    transparency: Path | None = None
    # Witnesses who cosign the public logs, as a JSON list of the address and the verifier key of
    # each: ["https://witness.example.org witness.example.org+1234abcd+BPz..."].
    witnesses: Witnesses = ()

    # Requests a minute from the public, per address.
    public_limit_per_minute: int = Field(default=60, ge=1)
    # Pages of the site a minute, per address: whoever looks around opens one every few seconds, and
    # a club's hall is one address. Style sheets, scripts, fonts and icons are not counted.
    page_limit_per_minute: int = Field(default=300, ge=1)
    # Requests a minute from a source, all its keys together; `mahjic source set --limit-per-minute`
    # sets another limit for one source.
    source_limit_per_minute: int = Field(default=300, ge=1)
    # Client connections at once, each an open file and some 10 KiB. The limit is lower if the
    # system gives the process fewer files (LimitNOFILE, ulimits). Beyond it clients get 503.
    connections_max: int = Field(default=4096, ge=1)
    # The same from one address (an IPv6 /64 is one): a club's hall behind one address has a hundred
    # phones, and a platform keeps a pool of as many. It does not apply to trusted proxies.
    connections_per_address_max: int = Field(default=256, ge=1)
    # Dry runs a minute from a source; a batch counts as one. A form that shows what each game would
    # change asks once a second while someone types.
    dry_run_limit_per_minute: int = Field(default=120, ge=1)
    # Proxies that are trusted to say what the client's address is; none unless named.
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    # The longest body of a request. A session of 100 rounds with long addresses is 100 KiB; no
    # session is ten times that.
    body_bytes_max: int = Field(default=1 << 20, ge=1024)
    # The longest text of games to score. A season of games kept by hand is 10 KiB; the longest text
    # takes half a second to score, and anyone may send one.
    scores_bytes_max: int = Field(default=128 << 10, ge=1024)
    # The most games in such a text. The answer names the players of each game again, and takes up
    # to 500 bytes a game.
    scored_games_max: int = Field(default=5_000, ge=1)
    # The largest score sheet. One of 100 rounds is 50 KiB; with pictures of the club, as leagues
    # like to have, it is a few MiB.
    sheet_bytes_max: int = Field(default=10 << 20, ge=1024)
    # Score sheets being uploaded at once, each held in memory, and twice while it is handed to its
    # reader: 160 MiB at most. One source may have at most half of them. Others wait, and then get
    # 503.
    sheet_uploads_max: int = Field(default=8, ge=1)
    # Score sheets being read at once, each in a process of its own.
    sheets_at_once_max: int = Field(default=2, ge=1)
    # How long a score sheet may wait for its turn. Sources take turns, and one source never has all
    # of them.
    sheet_s_max: float = Field(default=10.0, gt=0)
    # The processor time that reading one score sheet may take, in seconds. A sheet of 100 rounds
    # takes 0.5 s, and the most that the limits on a file let through takes 2 s.
    sheet_cpu_s_max: int = Field(default=4, ge=1)
    # The memory that reading one score sheet may take. The largest sheet that is accepted takes 100
    # MiB.
    sheet_memory_bytes_max: int = Field(default=256 << 20, ge=32 << 20)
    # How long a submission waits for its ratings, unless it asks for another time.
    wait_s_default: float = Field(default=10.0, gt=0)
    # The longest that a submission may ask to wait. Most proxies give up after 30 s.
    wait_s_max: float = Field(default=30.0, gt=0)
    # Submissions recorded in one transaction. More than 500 are no faster, and the first one waits
    # longer.
    group_submissions_max: int = Field(default=500, ge=1, le=5000)
    # Submissions that wait for a transaction: at 500 each, 20 transactions. Beyond it clients get
    # 503.
    queue_submissions_max: int = Field(default=10_000, ge=1)
    # Lines of batches that wait for a transaction: enough for four, so that no transaction waits
    # for lines, and no line waits so long that the database seems to be away. Batches are not read
    # beyond this.
    queue_lines_max: int = Field(default=2_000, ge=1)
    # The longest line of a batch: a session of 100 rounds. A longer one is refused without being
    # kept.
    line_bytes_max: int = Field(default=100 << 10, ge=1024)
    # Lines of one batch that have been read and not yet answered: enough for two transactions,
    # while the ratings of the first are awaited. The batch is not read beyond this.
    batch_window_lines: int = Field(default=1_000, ge=1)
    # The same in bytes; a session and its answer take about eight times its text in memory.
    batch_window_bytes_max: int = Field(default=2 << 20, ge=1024)
    # Answers of one batch that its client has not read yet, on disk: enough for 100,000 lines. The
    # batch is not read beyond this.
    batch_spool_bytes_max: int = Field(default=256 << 20, ge=1 << 20)
    # The folder for those answers; by default the system's folder for temporary files.
    batch_spool_folder: Path | None = None
    # How long the client of a batch may neither send nor read when it is its turn; then the batch
    # is cut off.
    batch_idle_s_max: float = Field(default=120.0, gt=0)
    # How often the key of a batch is looked up again, so that revoking it takes effect soon.
    batch_key_check_s: float = Field(default=30.0, gt=0)
    # How many facts a view may be behind before lines of batches wait for it. So what is played
    # during an import is shown some seconds later, and not only after all of the import.
    batch_ahead_facts_max: int = Field(default=10_000, ge=1)
    # Batches at once. Each takes up to 20 MB, if its sessions are huge and cannot be recorded yet.
    batches_max: int = Field(default=16, ge=1)
    # Batches of one source at once, so that no source takes all the places.
    batches_per_source_max: int = Field(default=4, ge=1)
    # How long a request waits for a database that is away, before the client gets 503; a retry is
    # safe.
    database_wait_s_max: float = Field(default=20.0, gt=0)
    # For how many days an Idempotency-Key is kept, at least.
    idempotency_days: int = Field(default=30, ge=30)
    # How often to rewrite the tables from which something was erased, so that it is in none of
    # their files. That takes some seconds for a million players; submissions wait meanwhile.
    erased_clean_s: float = Field(default=900.0, gt=0)
    # For how many days a source may void or correct what it submitted: a season. After that it is
    # history that others build on. The operator may always do it.
    change_days_max: int = Field(default=90, ge=1)
    # How many sessions of one source may be refused in a day because other sources hold a round of
    # them. Two sources that share a year of nights do that 50 times; someone who is guessing needs
    # thousands. Beyond it the source's sessions get 429, unless they are duplicates on purpose.
    foreign_refusals_per_day: int = Field(default=100, ge=1)
    # The longest history, in rounds, for which a process that answers reads says which rounds a
    # correction changed. It keeps about 100 bytes a round, and a million take a second of work. For
    # a longer history it lists no rounds.
    replayed_rounds_max: int = Field(default=1_000_000, ge=0)
    # How long a service that is stopping waits for running requests to be answered.
    grace_s: float = Field(default=35.0, gt=0)

    @property
    def service_url(self) -> str:
        """The address that client commands talk to: MAHJIC_URL, or what HOST and PORT say."""
        if self.url is not None:
            return self.url
        # Who listens on all addresses of a host listens on its loopback.
        host = self.host if self.host not in {"", "0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @field_validator(*NEVER_EMPTY, mode="before")
    @classmethod
    def _not_empty(cls, value: object) -> object:
        # An empty folder would be the present one, and an empty URL a database in that folder.
        if value == "":
            raise ValueError("It is set but empty. Give it a value, or unset it.")
        return value

    @field_validator("kafka_prefix")
    @classmethod
    def _begins_topics(cls, value: str) -> str:
        if KAFKA_PREFIX.fullmatch(value) is None:
            raise ValueError(
                "Use up to 240 of a-z, 0-9, dots, hyphens and underscores, and start with a "
                "letter or a digit."
            )
        return value

    @field_validator("kafka_servers")
    @classmethod
    def _addresses(cls, value: str | None) -> str | None:
        if value is not None and KAFKA_SERVERS.fullmatch(value) is None:
            raise ValueError("Write host:port, or several with commas between them and no spaces.")
        return value

    @field_validator("smtp_url")
    @classmethod
    def _names_server(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and SMTP_URL.fullmatch(value.get_secret_value()) is None:
            raise ValueError(
                "Write smtp://user:password@host:587 or smtps://user:password@host:465, with "
                "special characters percent-encoded; user and password may be left out together."
            )
        return value

    @field_validator("mail_from")
    @classmethod
    def _names_sender(cls, value: str | None) -> str | None:
        if value is not None and MAIL_FROM.fullmatch(value) is None:
            raise ValueError("Write ratings@example.org, or Mahjic <ratings@example.org>.")
        return value

    @model_validator(mode="after")
    def _whole_mail(self) -> Self:
        if (self.smtp_url is None) != (self.mail_from is None):
            raise ValueError("Give MAHJIC_SMTP_URL and MAHJIC_MAIL_FROM, or neither.")
        return self

    @field_validator("review_url")
    @classmethod
    def _names_reviewer(cls, value: str | None) -> str | None:
        if value is not None and REVIEW_URL.fullmatch(value) is None:
            raise ValueError(
                "Write the https address of a messages API, such as "
                "https://api.anthropic.com/v1/messages. Only one on this machine may be http."
            )
        return value

    @model_validator(mode="after")
    def _whole_reviewer(self) -> Self:
        given = {self.review_url is None, self.review_key is None, self.review_model is None}
        if len(given) > 1:
            raise ValueError(
                "Give MAHJIC_REVIEW_URL, MAHJIC_REVIEW_KEY and MAHJIC_REVIEW_MODEL, or none."
            )
        return self

    @field_validator("stripe_key")
    @classmethod
    def _is_secret_key(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and STRIPE_KEY.fullmatch(value.get_secret_value()) is None:
            raise ValueError("Give a restricted or secret key of Stripe (rk_... or sk_...).")
        return value

    @field_validator("stripe_webhook_secrets")
    @classmethod
    def _are_signing_secrets(
        cls, value: tuple[SecretStr, ...] | None
    ) -> tuple[SecretStr, ...] | None:
        if value is not None and not (
            1 <= len(value) <= STRIPE_SECRETS_MAX
            and all(STRIPE_SECRET.fullmatch(each.get_secret_value()) for each in value)
        ):
            raise ValueError(f'Give a list of 1 to {STRIPE_SECRETS_MAX} as JSON: ["whsec_..."].')
        return value

    @model_validator(mode="after")
    def _witnesses_of_something(self) -> Self:
        if self.witnesses and self.transparency is None:
            raise ValueError("Also give MAHJIC_TRANSPARENCY, or no MAHJIC_WITNESSES.")
        return self

    @model_validator(mode="after")
    def _whole_stripe(self) -> Self:
        parts = {
            "MAHJIC_STRIPE_KEY": self.stripe_key,
            "MAHJIC_STRIPE_WEBHOOK_SECRETS": self.stripe_webhook_secrets,
            "MAHJIC_STRIPE_PRICE": self.stripe_price,
            "MAHJIC_IDENTITY_HASH_KEY": self.identity_hash_key,
        }
        missing = [name for name, value in parts.items() if value is None]
        if 0 < len(missing) < len(parts):
            raise ValueError(f"Also give {', '.join(missing)}, or none of {', '.join(parts)}.")
        return self

    @model_validator(mode="after")
    def _one_place_for_data(self) -> Self:
        if self.data is not None and self.database_url is not None:
            raise ValueError("Give MAHJIC_DATA or MAHJIC_DATABASE_URL, not both.")
        if self.wait_s_default > self.wait_s_max:
            raise ValueError("MAHJIC_WAIT_S_DEFAULT is more than MAHJIC_WAIT_S_MAX.")
        return self

    @model_validator(mode="after")
    def _whole_kafka_security(self) -> Self:
        is_sasl = self.kafka_security.startswith("SASL")
        if {is_sasl} != {self.kafka_user is not None, self.kafka_password is not None}:
            raise ValueError(
                "MAHJIC_KAFKA_USER and MAHJIC_KAFKA_PASSWORD go with MAHJIC_KAFKA_SECURITY "
                "SASL_SSL or SASL_PLAINTEXT; set all three or none."
            )
        files = (self.kafka_ca_file, self.kafka_cert_file, self.kafka_key_file)
        if any(files) and not self.kafka_security.endswith("SSL"):
            raise ValueError(
                "MAHJIC_KAFKA_CA_FILE, _CERT_FILE and _KEY_FILE go with MAHJIC_KAFKA_SECURITY SSL "
                "or SASL_SSL."
            )
        if (self.kafka_cert_file is None) != (self.kafka_key_file is None):
            raise ValueError("Give MAHJIC_KAFKA_CERT_FILE and MAHJIC_KAFKA_KEY_FILE, or neither.")
        return self
