"""The settings of every command, read once from the environment (`MAHJIC_...`). Each limit has its
reason next to it.
"""

import re
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

# With `.verdicts` behind it, the longest name of a topic that Kafka takes: 249 characters.
KAFKA_PREFIX: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,239}")
KAFKA_SERVERS: Final = re.compile(r"[^,:\s]+:\d+(,[^,:\s]+:\d+)*")


class Settings(BaseSettings):
    """All settings; a wrong one is refused by name before anything starts."""

    model_config = SettingsConfigDict(env_prefix="MAHJIC_", frozen=True, extra="ignore")

    # The address to listen on. Loopback, unless the operator says otherwise.
    host: str = "127.0.0.1"
    # The port to listen on; 0 takes a free one. Commands on this host ask the service there.
    port: int = Field(default=8000, ge=0, le=65535)

    # The folder of the embedded database; a folder of the user's unless given.
    data: Path | None = None
    # A PostgreSQL of the operator's own (15 or newer) instead of the embedded one.
    database_url: SecretStr | None = None
    # Connections to the database. The embedded server takes 100, and other commands need some
    # beside the service, which holds up to five for itself: the bell, the right to rate, the sign
    # of keeping views, two for a build.
    database_connections_max: int = Field(default=20, ge=6, le=90)

    # Where the rater keeps columns and checkpoints, so that a start need not read all facts:
    # `rater` in the data folder, or nowhere beside a server of the operator's, unless given.
    rater_folder: Path | None = None

    # The brokers of the logs, as host:port with commas between them, when many processes share the
    # work; else the logs are tables.
    kafka_servers: str | None = None
    # Topics are PREFIX.facts and PREFIX.verdicts: several installations can share a cluster.
    kafka_prefix: str = "mahjic"
    # Copies of each record. One is for trying out: it is lost with its broker, so it must be said.
    kafka_replication: int = Field(default=3, ge=1, le=9)
    # How the brokers are spoken to: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.
    kafka_security: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    # How the password is proved, with SASL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "SCRAM-SHA-512"
    # Who we are to the brokers, with SASL.
    kafka_user: str | None = None
    # The password of that user.
    kafka_password: SecretStr | None = None
    # The file of who signed the certificates of the brokers, unless the system knows.
    kafka_ca_file: Path | None = None
    # The file of our own certificate, if the brokers ask for one.
    kafka_cert_file: Path | None = None
    # The file of its key.
    kafka_key_file: Path | None = None

    # Where traces of the projections go, as OTLP over HTTP; none unless said.
    otlp_endpoint: str | None = Field(default=None, pattern=r"^https?://")

    # Who this service is, when two of them meet on one database; the host's name and the port
    # unless given.
    instance: str | None = Field(default=None, min_length=1, max_length=100)

    # The service that client commands talk to: where this host serves, unless given.
    url: str | None = None
    # The API key that client commands send.
    key: SecretStr | None = None

    # Requests a minute of the public, by address.
    public_limit_per_minute: int = Field(default=60, ge=1)
    # Requests a minute of a source, with all its keys together;
    # `mahjic source set --limit-per-minute` says another one for one source.
    source_limit_per_minute: int = Field(default=300, ge=1)
    # Connections of clients at once, each an open file and some 10 KiB. It is less where the system
    # gives the process fewer files (LimitNOFILE, ulimits). Beyond it clients are told 503.
    connections_max: int = Field(default=4096, ge=1)
    # The same from one address (an IPv6 /64 is one): a club's hall behind one address has a hundred
    # phones, a platform keeps a pool of as many. Trusted proxies are not bounded by this.
    connections_per_address_max: int = Field(default=256, ge=1)
    # Dry runs of a source in a minute, a batch being one: a form that shows what each game would
    # change asks once a second while someone types.
    dry_run_limit_per_minute: int = Field(default=120, ge=1)
    # Proxies whose word about the client's address counts; none unless named.
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()

    # The longest body of a request. A session of 100 rounds with long addresses is 100 KiB; ten
    # times that is no one's session.
    body_bytes_max: int = Field(default=1 << 20, ge=1024)
    # The longest text of games to score. A season of games kept by hand is 10 KiB; ten times that
    # takes half a second to score, and everyone may ask for it.
    scores_bytes_max: int = Field(default=128 << 10, ge=1024)
    # The most games in such a text. The answer names the players of each game again, and takes up
    # to 500 bytes for one.
    scored_games_max: int = Field(default=5_000, ge=1)
    # The largest score sheet. One of 100 rounds is 50 KiB; with pictures of the club in it, as
    # leagues like them, it is some MiB.
    sheet_bytes_max: int = Field(default=10 << 20, ge=1024)
    # Score sheets on their way in, each held in memory, on its way to its reader twice: 160 MiB at
    # most. One source has half of them at most. Others wait, and then are told 503.
    sheet_uploads_max: int = Field(default=8, ge=1)
    # Score sheets that are read at once, each in a process of its own.
    sheets_at_once_max: int = Field(default=2, ge=1)
    # How long a score sheet may wait for its turn. Sources have turns one after the other, and one
    # source never has all of them.
    sheet_s_max: float = Field(default=10.0, gt=0)
    # The processor time that reading one may take, in seconds. A sheet of 100 rounds takes 0.5 s,
    # and the most that the limits of a file let through takes 2 s.
    sheet_cpu_s_max: int = Field(default=4, ge=1)
    # The memory that reading one may take. The largest that is read takes 100 MiB.
    sheet_memory_bytes_max: int = Field(default=256 << 20, ge=32 << 20)
    # How long a submission waits for its ratings, unless it says so itself.
    wait_s_default: float = Field(default=10.0, gt=0)
    # How long it can ask to wait. Longer than 30 s outlives most proxies.
    wait_s_max: float = Field(default=30.0, gt=0)
    # Submissions recorded in one transaction. Beyond 500 the rate no longer grows, and the first
    # one waits longer.
    group_submissions_max: int = Field(default=500, ge=1, le=5000)
    # Submissions that wait for a transaction: at 500 each, 20 transactions. Beyond it clients are
    # told 503.
    queue_submissions_max: int = Field(default=10_000, ge=1)
    # Lines of batches that wait for a transaction: four of them, so that none of them waits for its
    # lines, and no line waits so long that a database seems to be away. More are not read so far.
    queue_lines_max: int = Field(default=2_000, ge=1)
    # The longest line of a batch: a session of 100 rounds. What is longer is refused without being
    # kept.
    line_bytes_max: int = Field(default=100 << 10, ge=1024)
    # Lines of one batch between reading and answering: enough for two transactions, while the
    # ratings of the first are waited for. Beyond it the batch is read no further.
    batch_window_lines: int = Field(default=1_000, ge=1)
    # The same in bytes; a session and its answer take about eight times its text in memory.
    batch_window_bytes_max: int = Field(default=2 << 20, ge=1024)
    # Answers that a client does not read yet, of one batch, on disk: those to 100,000 lines. Beyond
    # it the batch is read no further.
    batch_spool_bytes_max: int = Field(default=256 << 20, ge=1 << 20)
    # The folder in which they are spooled; the system's for temporary files unless given.
    batch_spool_folder: Path | None = None
    # A batch whose client neither sends nor reads for this long, when it is its turn, is cut off.
    batch_idle_s_max: float = Field(default=120.0, gt=0)
    # How often the key of a batch is looked up again, which a revocation must not wait for long.
    batch_key_check_s: float = Field(default=30.0, gt=0)
    # How many facts some view may be behind before lines of batches wait for it: what is played
    # during an import is shown some seconds later, and not when all of the import is.
    batch_ahead_facts_max: int = Field(default=10_000, ge=1)
    # Batches at once: each takes up to 20 MB, when its sessions are huge and are not recorded.
    batches_max: int = Field(default=16, ge=1)
    # Batches of one source at once, so that no source takes all the places.
    batches_per_source_max: int = Field(default=4, ge=1)
    # A database that is away this long is told to the client as 503; a retry is safe.
    database_wait_s_max: float = Field(default=20.0, gt=0)
    # For how many days an Idempotency-Key is kept at least.
    idempotency_days: int = Field(default=30, ge=30)
    # How often the tables from which something was erased are written again, so that it is in none
    # of their files. That takes some seconds for a million players; submissions wait meanwhile.
    erased_clean_s: float = Field(default=900.0, gt=0)
    # How long a source may void or correct what it submitted: a season, and then it is history that
    # others build on. The operator always may.
    change_days_max: int = Field(default=90, ge=1)
    # How many sessions of one source may be refused in a day because others hold a round of them.
    # Two sources that share a year of nights meet 50 times; whoever guesses needs thousands. Beyond
    # it its sessions are 429, unless they are duplicates on purpose.
    foreign_refusals_per_day: int = Field(default=100, ge=1)
    # What a process that answers reads keeps to say which rounds a correction changed: about 100
    # bytes a round, and a second of work for a million. Of a longer history it lists no rounds.
    replayed_rounds_max: int = Field(default=1_000_000, ge=0)
    # What a stopping service gives running requests to be answered.
    grace_s: float = Field(default=35.0, gt=0)

    @property
    def service_url(self) -> str:
        """The address that client commands talk to: MAHJIC_URL, or what HOST and PORT say."""
        if self.url is not None:
            return self.url
        # Who listens on all addresses of a host listens on its loopback.
        host = self.host if self.host not in {"", "0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @field_validator(
        "data",
        "database_url",
        "rater_folder",
        "batch_spool_folder",
        "kafka_servers",
        "kafka_user",
        "kafka_password",
        "kafka_ca_file",
        "kafka_cert_file",
        "kafka_key_file",
        mode="before",
    )
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
