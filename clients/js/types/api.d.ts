/** What Mahjic takes and gives. `make docs` writes it from docs/openapi.json. */

/** What a method takes beside the parts of its path. */
export type Options<Name extends keyof Operations> = Operations[Name]["options"];

/** What a method comes to. */
export type Answer<Name extends keyof Operations> = Operations[Name]["answer"];

/** What a method comes to with `dry_run: true`. */
export type Trial<Name extends keyof Trials> = Trials[Name];

/** What goes through a list takes: its method without the place of a page. */
export type Paged<Name extends keyof Operations> = Omit<Options<Name>, "cursor" | "offset">;

/** One of those in a list that comes in pages. */
export type Row<Name extends keyof Rows> = Rows[Name];

/** What every method takes. */
export interface CallOptions {
  /** Ends the call, also while it waits for another try. */
  signal?: AbortSignal | undefined;
}

/** A score sheet: the text of a CSV file, or the bytes of a CSV or XLSX file. */
export type Sheet = string | Uint8Array | ArrayBuffer | Blob;

/** Records of a log, byte for byte, and the hash chain before the first and after the last. */
export interface LogPage {
  records: string[];
  log_id: string;
  /** Missing beyond the end of the log, as is the other. */
  chain_before?: string;
  chain_after?: string;
}

/** What each method takes and comes to, by its name. */
export interface Operations {
  /** `GET /healthz` */
  getHealth: {
    options: CallOptions;
    answer: unknown;
  };
  /** `GET /readyz` */
  getReadiness: {
    options: CallOptions;
    answer: unknown;
  };
  /** `GET /metrics` */
  getMetrics: {
    options: CallOptions;
    answer: string;
  };
  /** `POST /v1/sessions` */
  submitSession: {
    options: CallOptions & SessionClaim & {
      /** Record nothing, and answer with what would happen with today's ratings. */
      dry_run?: boolean | undefined;
      /** Your own name for the request. Left out, each call makes one, and keeps it. */
      idempotencyKey?: string | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: SessionAnswer;
  };
  /** `GET /v1/sessions` */
  listSessions: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
      /** Sessions on or after this date. */
      from?: string | undefined;
      /** Sessions on or before this date. */
      to?: string | undefined;
      /** Only sessions this player was in, by Mahjic ID. */
      player?: string | undefined;
      /** Only sessions with this status today. */
      status?: "accepted" | "rated" | "voided" | "corrected" | "refused" | undefined;
      /** Whose sessions; only the operator has to say so. */
      source?: string | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many sessions to return at most. */
      limit?: number | undefined;
    };
    answer: SessionList;
  };
  /** `POST /v1/sessions/batch` */
  submitBatch: {
    options: CallOptions & {
      /**
       * Each line is a whole night, as if it said `whole_night`. Without this, a source may have
       * several sessions of the same people on one date.
       */
      whole_nights?: boolean | undefined;
      /** Record nothing, and answer with what would happen with today's ratings. */
      dry_run?: boolean | undefined;
      /**
       * What to do with a session that has a round similar to one of yours on record, if the
       * session does not say so itself: `warn` records it, `refuse` does not.
       */
      if_similar?: "warn" | "refuse" | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: AnsweredLine;
  };
  /** `POST /v1/sheets` */
  submitSheet: {
    options: CallOptions & {
      file: Sheet;
      /** Record nothing, and answer with the claim that would be submitted. */
      dry_run?: boolean | undefined;
      /** Which sheet of the workbook to read, if several have contents. */
      sheet?: string | undefined;
      /** Record the session even though one of its rounds is on record. */
      allow_duplicate?: boolean | undefined;
      /**
       * What to do with a session that has a round similar to one of yours on record, if the
       * session does not say so itself: `warn` records it, `refuse` does not.
       */
      if_similar?: "warn" | "refuse" | undefined;
      /** Your own name for the request. Left out, each call makes one, and keeps it. */
      idempotencyKey?: string | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: SessionAnswer;
  };
  /** `POST /v1/sessions/{session_id}/corrections/sheet` */
  correctSessionWithSheet: {
    options: CallOptions & {
      file: Sheet;
      /** Record nothing, and answer with what the session would change. */
      dry_run?: boolean | undefined;
      /** Why the session is corrected. */
      reason?: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other" | undefined;
      /** Which sheet of the workbook to read, if several have contents. */
      sheet?: string | undefined;
      /** Record the session even though one of its rounds is on record. */
      allow_duplicate?: boolean | undefined;
      /**
       * What to do with a session that has a round similar to one of yours on record, if the
       * session does not say so itself: `warn` records it, `refuse` does not.
       */
      if_similar?: "warn" | "refuse" | undefined;
      /** Your own name for the request. Left out, each call makes one, and keeps it. */
      idempotencyKey?: string | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: CorrectionAnswer;
  };
  /** `POST /v1/sessions/{session_id}/void` */
  voidSession: {
    options: CallOptions & VoidClaim & {
      /** Your own name for the request. Left out, each call makes one, and keeps it. */
      idempotencyKey?: string | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: VoidAnswer;
  };
  /** `POST /v1/sessions/{session_id}/corrections` */
  correctSession: {
    options: CallOptions & CorrectionClaim & {
      /** Record nothing, and answer with what the session would change. */
      dry_run?: boolean | undefined;
      /** Your own name for the request. Left out, each call makes one, and keeps it. */
      idempotencyKey?: string | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: CorrectionAnswer;
  };
  /** `POST /v1/admin/players` */
  registerPlayer: {
    options: CallOptions & RegisterClaim;
    answer: RegisteredPlayer;
  };
  /** `PUT /v1/admin/players/{player_id}/privacy` */
  setPrivacy: {
    options: CallOptions & PrivacyClaim;
    answer: Privacy;
  };
  /** `DELETE /v1/admin/players/{player_id}/personal-data` */
  forgetPlayer: {
    options: CallOptions;
    answer: undefined;
  };
  /** `GET /v1/admin/disputes` */
  listDisputes: {
    options: CallOptions & {
      /** Only those about its sessions. */
      source?: string | undefined;
      /** Only those that stand so. */
      state?: "open" | "with_staff" | "answered" | "resolved" | undefined;
      /** Only those with a higher number. */
      after?: number | undefined;
      /** How many to return at most. */
      limit?: number | undefined;
    };
    answer: DisputeList;
  };
  /** `POST /v1/admin/disputes` */
  answerDispute: {
    options: CallOptions & DisputeAnswerClaim;
    answer: DisputeRow;
  };
  /** `GET /v1/admin/wrong-addresses` */
  listWrongAddresses: {
    options: CallOptions & {
      /** Only those that it sent. */
      source?: string | undefined;
      /** Only those with a higher number. */
      after?: number | undefined;
      /** How many to return at most. */
      limit?: number | undefined;
    };
    answer: WrongAddressList;
  };
  /** `GET /v1/events` */
  listEvents: {
    options: CallOptions & {
      /** `next_after` of the answer before; 0 at first. */
      after?: number | undefined;
      /** How many to return at most. */
      limit?: number | undefined;
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: EventList;
  };
  /** `POST /v1/admin/sessions/void` */
  voidSessions: {
    options: CallOptions & VoidsClaim & {
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: VoidsAnswer;
  };
  /** `POST /v1/admin/players/{player_id}/merge` */
  mergePlayer: {
    options: CallOptions & MergeClaim & {
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: MergeAnswer;
  };
  /** `POST /v1/admin/players/{player_id}/unmerge` */
  unmergePlayer: {
    options: CallOptions & UnmergeClaim & {
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: MergeAnswer;
  };
  /** `POST /v1/admin/players/{player_id}/reseat` */
  reseatPlayer: {
    options: CallOptions & ReseatClaim & {
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: ReseatAnswer;
  };
  /** `POST /v1/admin/formulas` */
  adoptFormula: {
    options: CallOptions & FormulaClaim & {
      /** How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all. */
      wait?: number | undefined;
    };
    answer: AdoptionAnswer;
  };
  /** `DELETE /v1/admin/notes/{fact_seq}` */
  eraseNote: {
    options: CallOptions;
    answer: undefined;
  };
  /** `POST /v1/people/lookup` */
  lookUpPeople: {
    options: CallOptions & LookUpClaim;
    answer: LookUpAnswer;
  };
  /** `POST /v1/score/{rulebook}` */
  scoreGames: {
    options: CallOptions & ScoresClaim & {
      /** Also make a session for each date; needs a JSON body. */
      session?: boolean | undefined;
    };
    answer: Scores;
  };
  /** `PUT /v1/admin/players/{player_id}/verification` */
  setVerification: {
    options: CallOptions & VerificationClaim;
    answer: Verification;
  };
  /** `GET /v1/players/search` */
  searchPlayers: {
    options: CallOptions & {
      /**
       * The beginning of words of the name, or of the Mahjic ID: two letters or more, or one
       * Chinese, Japanese or Korean character.
       */
      q: string;
      /** How many players to return at most. */
      limit?: number | undefined;
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: SearchAnswer;
  };
  /** `GET /v1/players/{player_id}` */
  getPlayer: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: Profile;
  };
  /** `GET /v1/players/{player_id}/history` */
  getHistory: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
      /** Sessions on or after this date, and corrections made on or after it. */
      from?: string | undefined;
      /** Sessions on or before this date, and corrections made on or before it. */
      to?: string | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many changes to return at most. */
      limit?: number | undefined;
    };
    answer: History;
  };
  /** `GET /v1/players/{player_id}/changes/{change_id}` */
  getChange: {
    options: CallOptions & {
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many rounds of a correction to return at most. */
      limit?: number | undefined;
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: AnyWhy;
  };
  /** `GET /v1/formula` */
  getFormula: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: FormulaAnswer;
  };
  /** `GET /v1/leaderboard` */
  getLeaderboard: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
      /** How many players to return at most. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many players to skip. */
      offset?: number | undefined;
      /** The minimum of verified games. */
      min_games?: number | undefined;
      /** Only players who played within this many days, by UTC. */
      active_within_days?: number | undefined;
    };
    answer: Board;
  };
  /** `GET /v1/leaderboard/{region}` */
  getRegionLeaderboard: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
      /** How many players to return at most. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many players to skip. */
      offset?: number | undefined;
      /** The minimum of verified games. */
      min_games?: number | undefined;
      /** Only players who played within this many days, by UTC. */
      active_within_days?: number | undefined;
    };
    answer: Board;
  };
  /** `GET /v1/sources/{source}/leaderboard` */
  getSourceLeaderboard: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
      /** How many players to return at most. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many players to skip. */
      offset?: number | undefined;
      /** The minimum of verified games. */
      min_games?: number | undefined;
      /** Only players who played within this many days, by UTC. */
      active_within_days?: number | undefined;
    };
    answer: Board;
  };
  /** `GET /v1/sources` */
  listSources: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: Sources;
  };
  /** `GET /v1/sources/{source}` */
  getSource: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: OneSource;
  };
  /** `GET /v1/sessions/{session_id}` */
  getSession: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: StoredSessionAnswer;
  };
  /** `GET /v1/sheets/template.csv` */
  getSheetTemplateCsv: {
    options: CallOptions;
    answer: Uint8Array;
  };
  /** `GET /v1/sessions/{session_id}/sheet.csv` */
  getSessionSheetCsv: {
    options: CallOptions;
    answer: Uint8Array;
  };
  /** `GET /v1/sheets/template.xlsx` */
  getSheetTemplateXlsx: {
    options: CallOptions;
    answer: Uint8Array;
  };
  /** `GET /v1/sessions/{session_id}/sheet.xlsx` */
  getSessionSheetXlsx: {
    options: CallOptions;
    answer: Uint8Array;
  };
  /** `GET /v1/log/facts` */
  listFacts: {
    options: CallOptions & {
      /** The first record, counting from 1. */
      from?: number | undefined;
      /** How many records to return at most. */
      limit?: number | undefined;
    };
    answer: LogPage;
  };
  /** `GET /v1/log/verdicts` */
  listVerdicts: {
    options: CallOptions & {
      /** The first record, counting from 1. */
      from?: number | undefined;
      /** How many records to return at most. */
      limit?: number | undefined;
    };
    answer: LogPage;
  };
  /** `GET /v1/players/{player_id}/changes/{change_id}/proof` */
  getChangeProof: {
    options: CallOptions & {
      /**
       * The `seq` of an answer that this one must not be older than. The service waits for that
       * fact up to 2 s; after that it is 503 `view_behind`.
       */
      min_seq?: number | undefined;
    };
    answer: ChangeProof;
  };
  /** `GET /v1/players/{player_id}/proofs` */
  listChangeProofs: {
    options: CallOptions & {
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** How many changes to return at most. */
      limit?: number | undefined;
    };
    answer: ChangeProofs;
  };
  /** `GET /v1/sessions/{session_id}/proof` */
  getSessionProof: {
    options: CallOptions;
    answer: SessionProof;
  };
  /** `GET /v1/log/facts/salts` */
  listFactSalts: {
    options: CallOptions & {
      /** The first record, counting from 1. */
      from?: number | undefined;
      /** How many records to return at most. */
      limit?: number | undefined;
    };
    answer: LogPage;
  };
  /** `GET /v1/log/verdicts/salts` */
  listVerdictSalts: {
    options: CallOptions & {
      /** The first record, counting from 1. */
      from?: number | undefined;
      /** How many records to return at most. */
      limit?: number | undefined;
    };
    answer: LogPage;
  };
}

/** What the methods with dry runs come to in one. */
export interface Trials {
  submitSession: TrialAnswer;
  submitSheet: DryRunAnswer;
  correctSessionWithSheet: CorrectionTrialAnswer;
  correctSession: CorrectionTrialAnswer;
}

/** What the lists are made of that come in pages. */
export interface Rows {
  listSessions: SessionRow;
  listDisputes: DisputeRow;
  listWrongAddresses: WrongAddressRow;
  getHistory: Change | Correction;
  getChange: ChangedRound;
  getLeaderboard: BoardPlayer;
  getRegionLeaderboard: BoardPlayer;
  getSourceLeaderboard: BoardPlayer;
  listFacts: string;
  listVerdicts: string;
  listChangeProofs: ListedChange;
  listFactSalts: string;
  listVerdictSalts: string;
}

/** Which formula applies, and from what point on; `effect` is null until it is known. */
export interface AdoptionAnswer {
  formula: string;
  since: "now" | "beginning";
  /** The number of the proposal that led to it, or null. */
  proposal: string | null;
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** The same; pass it to a read as `min_seq` to see the change. */
  seq: number;
  effect: EffectAnswer | null;
}

/** The answer to one line. */
export interface AnsweredLine {
  /** Which line of the body this answers; the first is 1. */
  line: number;
  /** The status the session would get on its own. */
  status: number;
  /** With `session`: it was already on record. */
  replayed?: boolean | null;
  /** If `status` is below 300; of a dry run, what would be recorded. */
  session?: SessionAnswer | TrialAnswer | null;
  /** If `status` is 400 or more. */
  problem?: Problem | null;
}

/** The full reason for one change, by a round or by a correction. */
export type AnyWhy = Why | WhyCorrected;

/** A range of the rating scale. */
export interface Band {
  name: string;
  /** Null for the lowest. */
  rating_min: number | null;
  text: string;
}

/** A page of a leaderboard: Verified, public players by verified rating, ties by id. */
export interface Board {
  /** `global`, `region:...` or `source:...`. */
  board: string;
  /** The last fact that the page is based on. */
  seq: number;
  /**
   * While the next fact is correcting the past part by part: how far it has come; otherwise null.
   */
  correcting: Correcting | null;
  /** The minimum of verified games for a player on this page. */
  min_games: number;
  /** Only players who played within this many days, by session date in UTC. */
  active_within_days: number | null;
  players: BoardPlayer[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
  /**
   * Whether anything on the leaderboard changed since the cursor was issued, so that players may
   * have been skipped or appear twice; null without a cursor.
   */
  board_moved: boolean | null;
}

/** A player's row on a board. */
export interface BoardPlayer {
  /** Equal ratings share a place: 1, 2, 2, 4. */
  place: number;
  player_id: string;
  /** The name the player chose, or else the id. */
  name: string;
  verified_rating: number;
  /** The word for the verified rating. */
  band: string;
  verified_games: number;
  /** The date of the latest session. */
  last_played: string | null;
}

/** One round of a player's history. */
export interface Change {
  /** A permanent id: player, fact, and the round unless it is a correction. */
  change_id: string;
  /** The fact behind it; auditors can read it with `GET /v1/log/facts?from=FACT&limit=1`. */
  fact_seq: number;
  /**
   * The id that it moved, if that id is merged into this player. The numbers before and after are
   * those of that id; all changes of the page add up to the rating.
   */
  played_as: string | null;
  session_id: string;
  source: SourceName;
  session_date: string;
  game_type: string;
  /** From 1, in the order of the session. */
  round_number: number;
  games_played: number;
  /** Games that the player won. */
  mahjongs: number;
  /** League and tournament points; null if social. */
  points: number | null;
  /**
   * Whether the session has since been voided. The round stays, and the correction that took it
   * back is a separate entry.
   */
  voided: boolean;
  /** The session that replaced this one, if it was corrected. */
  superseded_by: string | null;
  /** A round, as it was rated and published. */
  type: "round";
  wall_games: number;
  mahjic: PoolChange;
  verified: PoolChange;
  opponents: RatedOpponent[];
}

/** One change with its proof. */
export interface ChangeProof {
  change_id: string;
  /** As `why`, but without the rounds that a correction gave new numbers. */
  why: Why | Correction;
  fact: ProvedRecord;
  /** The part of the verdict that moved the player. */
  verdict: ProvedRecord;
  player_id: string;
  checkpoints: SignedNotes;
}

/** A page of a player's changes, newest first, with the proofs of the records behind them. */
export interface ChangeProofs {
  player_id: string;
  /** The last fact that the page is based on. */
  seq: number;
  checkpoints: SignedNotes;
  changes: ListedChange[];
  records: PageRecords;
  /** For the next page; null on the last one. */
  next_cursor: string | null;
}

/** One of the player's rounds that a correction gave different numbers. */
export interface ChangedRound {
  session_id: string;
  source: SourceName;
  session_date: string;
  game_type: string;
  round_number: number;
  /** According to the facts before the correction; null if it was not a round of this player. */
  before: RoundNumbers | null;
  /** According to the facts with the correction; null if it is not a round of this player now. */
  after: RoundNumbers | null;
}

/**
 * How much of the verdict on the fact after its `seq` the numbers of a page include.
 *
 * Players in the parts already applied have their corrected numbers. All others still have their
 * numbers from before.
 */
export interface Correcting {
  /** The last part that is applied. */
  part: number;
  /** How many parts there are. */
  parts: number;
}

/** One correction in a player's history. What came before it stays as it was published. */
export interface Correction {
  /** A permanent id: player, fact, and the round unless it is a correction. */
  change_id: string;
  /** The fact behind it; auditors can read it with `GET /v1/log/facts?from=FACT&limit=1`. */
  fact_seq: number;
  /**
   * The id that it moved, if that id is merged into this player. The numbers before and after are
   * those of that id; all changes of the page add up to the rating.
   */
  played_as: string | null;
  /** The day that fact was accepted, in UTC. `from` and `to` go by it. */
  corrected_on: string;
  /**
   * `void` of sessions, `correction` of a session, `merge` or `unmerge` of two ids of one player,
   * `reseat` when a seat in some sessions turned out to be another player's, or a `formula` that
   * applies from the beginning.
   */
  cause: "void" | "correction" | "merge" | "unmerge" | "reseat" | "formula";
  /** The code for why sessions were voided or corrected; null for other causes. */
  reason: string | null;
  /**
   * The sessions that were voided or corrected, or in which a seat is another player's, the first
   * 20 of them. The id of a session says nothing about people, only when it was submitted; what
   * happened in it is shown to its source and to auditors.
   */
  sessions: string[];
  /** How many such sessions there are. */
  sessions_count: number;
  /** The session that replaced the corrected one. */
  replaced_by: string | null;
  /** Who was merged, or is no longer merged; otherwise null. */
  merged: Merged | null;
  /** The formula that was adopted; otherwise null. */
  formula: string | null;
  mahjic: PoolChange;
  verified: PoolChange;
  /** What a fact about the past did. */
  type: "correction";
}

/** The answer to a correction: the new session, as rated in place of the old one. */
export interface CorrectionAnswer {
  /**
   * Whether the session counts today: false once it is voided, corrected or refused. Then `results`
   * and `rounds` only show how it was rated at the time.
   */
  counts: boolean;
  /** Who was named, as long as there are no results; empty once there are. */
  players?: NamedPlayer[];
  session_id: string;
  status: "accepted" | "rated" | "voided" | "corrected" | "refused";
  /** Everyone you may see, in order of first appearance. */
  results: PlayerAnswer[];
  rounds: RoundAnswer[];
  /**
   * The place of the session on the log of facts. Pass it to a read as `min_seq` to see the
   * session.
   */
  seq: number;
  warnings: WarningAnswer[];
  /** The session that it replaces. */
  corrects: string;
  reason: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  fact_seq: number;
  effect: EffectAnswer | null;
}

/** A whole session that replaces another one from the same source. */
export interface CorrectionClaim {
  /** If given, it must be the key's own source. */
  source_id?: string | null;
  /** The date of play, YYYY-MM-DD. */
  session_date: string;
  game_type: "social" | "league" | "tournament";
  rounds: RoundClaim[];
  /** Record the session even though one of its rounds is on record. */
  allow_duplicate?: boolean;
  /**
   * This is everything these people played that night, as in a score sheet. If a session of yours
   * has part of it, with different numbers or rounds, nothing is recorded (409 `night_changed`):
   * correct that session.
   */
  whole_night?: boolean;
  /**
   * What to do if a session of yours has a round on the same date with the same people, or all but
   * one, and different numbers: `warn` (the default) records it with a warning, `refuse` records
   * nothing (409 `similar_round`).
   */
  if_similar?: "warn" | "refuse" | null;
  reason?: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  note?: string | null;
}

/** What a correction would change. Nothing was recorded. */
export interface CorrectionTrialAnswer {
  /** The session that it would replace. */
  corrects: string;
  status: "dry_run";
  kind: "same" | "grown" | "changed";
  /** The session that would replace it. */
  claim: Record<string, unknown>;
  rounds: RoundComparedAnswer[];
  warnings: (Record<string, unknown>)[];
}

/** What a player is answered. */
export interface DisputeAnswerClaim {
  /** The `number` of the dispute. */
  number: number;
  /** A few sentences, 500 characters at most. The player reads them. */
  answer: string;
}

/** Disputes, from the oldest on. */
export interface DisputeList {
  disputes: DisputeRow[];
  /** Pass it as `after` for the next page; null at the end. */
  next_after: number | null;
}

/** A session that a player says they did not play. */
export interface DisputeRow {
  number: number;
  /** The player's id now. */
  player_id: string;
  session_id: string;
  session_date: string;
  /** Who sent the session. */
  source: string;
  /**
   * `open` for 14 days; then `with_staff`, for staff to answer. `answered` once it is answered.
   * `resolved` once the session no longer counts for the player.
   */
  state: "open" | "with_staff" | "answered" | "resolved";
  /** What the player says. */
  said: string;
  said_at: string;
  answer: string | null;
  answered_at: string | null;
  /** What became of the session, once it is resolved. */
  resolved_by: "voided" | "corrected" | "reseated" | null;
  /** The session that corrects it, if one does. */
  newest: string | null;
}

/** What the sheet would submit, and the answer it would get. */
export interface DryRunAnswer {
  /**
   * Whether the session counts today: false once it is voided, corrected or refused. Then `results`
   * and `rounds` only show how it was rated at the time.
   */
  counts: boolean;
  /** Who was named, as long as there are no results; empty once there are. */
  players?: NamedPlayer[];
  /** Null: nothing was recorded. */
  session_id: null;
  status: "dry_run";
  /** The fact that the ratings are based on. */
  seq: number;
  results: TriedPlayer[];
  rounds: TriedRound[];
  /** The body of `POST /v1/sessions` that the sheet stands for. */
  claim: Record<string, unknown>;
  warnings: SheetWarning[];
}

/** Who moved, and by how much. A source sees only the players of its own sessions. */
export interface EffectAnswer {
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** Players whose ratings or counts moved. */
  players_moved: number;
  /** The players of these sessions first, then those who moved most. */
  changes: PlayerChange[];
  /** Players who moved and are not listed. */
  others_moved: number;
}

/** What voided or corrected a session. */
export interface EndedAnswer {
  /** Its place on the log of facts. */
  fact_seq: number;
  /** The code for the reason. */
  reason: string;
  /** The note that came with it; null for auditors. */
  note: string | null;
  /** Who moved; null while that is not known yet. */
  effect: EffectAnswer | null;
}

/** One event: a thing that happened to the sessions or players of a source. */
export interface EventAnswer {
  /** Counts up for this source; some numbers may be missing. */
  number: number;
  type: "dispute.opened" | "player.verification_ended" | "player.verified" | "ratings.corrected" | "session.corrected" | "session.rated" | "session.voided" | "source.suspended" | "test";
  /** When it happened, in UTC. */
  timestamp: string;
  source: string;
  data: EventData;
}

/** What happened. Read what it is about with `min_seq` at `seq` or above. */
export interface EventData {
  /** The fact that it stands on. */
  seq?: number;
  session_id?: string;
  session_date?: string;
  /** The session in whose place it counts now, if any. */
  replaces?: string | null;
  players?: NoticedPlayer[];
  /** The number of the dispute. */
  dispute?: number;
}

/** Events in the order of their numbers. */
export interface EventList {
  events: EventAnswer[];
  /** Pass it as `after` to go on. */
  next_after: number;
  /** Whether there are no more yet. */
  is_last: boolean;
}

/** The formula in force, with all its numbers. */
export interface FormulaAnswer {
  /** The last fact that the answer is based on. */
  seq: number;
  name: string;
  parameters: Record<string, unknown>;
  /** The number of the proposal that led to it, or null. */
  proposal: string | null;
  bands: Band[];
}

/** Which formula to use, and from which point on. */
export interface FormulaClaim {
  formula: string;
  /** `now` rates what comes from now on; `beginning` rates everything again. */
  since: "now" | "beginning";
  /** The number of the proposal that led to it, if there was one. */
  proposal?: string | null;
}

/** Someone you had in a session. */
export interface FoundPerson {
  /** The player's id in answers now. */
  player_id: string;
  /** The same; null for anonymous players. */
  mahjic_id: string | null;
  /** The player as you submitted them; for the operator, the address. */
  player: string | null;
  /** The name that you sent last; null if you sent none. */
  name: string | null;
  privacy: "public" | "private" | "anonymous";
  /** Null for the operator. */
  last_session: LastSession | null;
  /**
   * For a public player, today's rating. For others, the rating after your last session with them,
   * or null while that session is not rated. The operator always sees today's.
   */
  rating: number | null;
  games: number | null;
  verified_rating: number | null;
  verified_games: number | null;
  /** Null for players who are not public. */
  is_verified: boolean | null;
  /** For the operator; otherwise empty. */
  named_by: NamedBy[];
}

/** A player that a search found. */
export interface FoundPlayer {
  player_id: string;
  name: string;
  rating: number;
  band: string;
  games: number;
  is_verified: boolean;
}

/**
 * A page of a player's history, newest first: rounds and corrections as they happened.
 *
 * 1500.00 plus all changes gives the current rating, in both pools.
 */
export interface History {
  player_id: string;
  /** The last fact that the page is based on. */
  seq: number;
  /**
   * Given while a large correction is being applied part by part: a page shows everything it did to
   * this player, or nothing yet. Otherwise null.
   */
  correcting: Correcting | null;
  changes: (Change | Correction)[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
}

/** Your latest session with this person in it that counts. */
export interface LastSession {
  session_id: string;
  session_date: string;
}

/** A fact that left out the round's session after it was rated. */
export interface LaterCorrection {
  fact_seq: number;
  cause: "void" | "correction";
  reason: string | null;
  /** The session that replaced it, if it was corrected. */
  replaced_by: string | null;
}

/** A session as one line of a batch. */
export interface LineClaim {
  /** If given, it must be the key's own source. */
  source_id?: string | null;
  /** The date of play, YYYY-MM-DD. */
  session_date: string;
  game_type: "social" | "league" | "tournament";
  rounds: RoundClaim[];
  /** Record the session even though one of its rounds is on record. */
  allow_duplicate?: boolean;
  /**
   * This is everything these people played that night, as in a score sheet. If a session of yours
   * has part of it, with different numbers or rounds, nothing is recorded (409 `night_changed`):
   * correct that session.
   */
  whole_night?: boolean;
  /**
   * What to do if a session of yours has a round on the same date with the same people, or all but
   * one, and different numbers: `warn` (the default) records it with a warning, `refuse` records
   * nothing (409 `similar_round`).
   */
  if_similar?: "warn" | "refuse" | null;
  /** Works like the Idempotency-Key of a single submission, and is the same key. */
  idempotency_key?: string | null;
}

/** A change, and which of the records of its page are behind it. */
export interface ListedChange {
  change_id: string;
  /** As `why`, but without the rounds that a correction gave new numbers. */
  why: Why | Correction;
  /** The fact behind it, among the records. */
  fact_seq: number;
  /** The part of the verdict that moved the player, among the records. */
  verdict_seq: number;
}

/** The people you meant, but no one you have never had in a session, on record or not. */
export interface LookUpAnswer {
  /** The last fact that today's ratings are based on. */
  seq: number;
  people: FoundPerson[];
  /** Whether more people match than are listed. */
  has_more: boolean;
}

/** Whom to look up: `who`, or `player_ids`. */
export interface LookUpClaim {
  /**
   * An email address, with or without `PRIVATE:`; `ANON:nickname`; or part of a name or nickname
   * that you sent.
   */
  who?: string | null;
  /** Or ids, as in answers. */
  player_ids?: string[];
}

/** Whether two ids are one person now; `effect` is null until it is known. */
export interface MergeAnswer {
  player_id: string;
  into: string;
  is_merged: boolean;
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** The same; pass it to a read as `min_seq` to see the change. */
  seq: number;
  effect: EffectAnswer | null;
}

/** Who the player really is. */
export interface MergeClaim {
  /** The Mahjic ID that stays. */
  into: string;
  note?: string | null;
}

/** Who was merged into whom. */
export interface Merged {
  player: Opponent;
  into: Opponent;
}

/** A source that had someone in a session, and the last name that it sent. */
export interface NamedBy {
  source: string;
  name: string | null;
}

/** A player in a session that is not rated yet. */
export interface NamedPlayer {
  player_id: string;
  mahjic_id: string | null;
  /** The player as you submitted it; else null. */
  player: string | null;
}

/** A player of an event. What was not moved by it has no numbers. */
export interface NoticedPlayer {
  player_id: string;
  rating_before?: number;
  rating_change?: number;
  rating_after?: number;
  games?: number;
  verified_rating_before?: number;
  verified_rating_change?: number;
  verified_rating_after?: number;
  verified_games?: number;
}

/** One verified source. */
export interface OneSource {
  slug: string;
  name: string;
  /** `platform`, `club` or `league`. */
  type: string;
  region: string | null;
  /** Sessions that count. */
  sessions: number;
  /** Sessions that were voided and not corrected since. */
  sessions_voided: number;
  rounds: number;
  games: number;
  /** Public players in those sessions. */
  players: number;
  /** The date of the latest session. */
  last_session: string | null;
  /** The last fact that the counts are based on. */
  seq: number;
}

/** Someone at the table, as anyone may see them. */
export interface Opponent {
  /** The Mahjic ID; null for a private player and for Bob. */
  player_id: string | null;
  /** The public name, or else the Mahjic ID; `a private player` or `Bob (imaginary player)`. */
  player: string;
}

/** The records behind the changes of a page, each once: a night is one record for its rounds. */
export interface PageRecords {
  facts: ProvedRecord[];
  verdicts: ProvedRecord[];
}

/** What the comparison with one opponent contributed. */
export interface PairLine {
  /** The Mahjic ID; null for a private player and for Bob. */
  player_id: string | null;
  /** The public name, or else the Mahjic ID; `a private player` or `Bob (imaginary player)`. */
  player: string;
  /** The opponent's. */
  rating_before: number;
  /** The expected score against this opponent. */
  expected: number;
  /** 1 for more mahjongs, 0.5 for the same number, 0 for fewer. */
  actual: number;
  /** How strongly one comparison moves this player. */
  k: number;
  /** A fiftieth of the difference in points, -5 to 5. */
  points_bonus: number;
  /** k * (actual - expected) + points_bonus, as read. */
  pair_gain: number;
  /** The same exactly, in billionths of a point. */
  pair_gain_nano: number;
}

/** What a session did to one player, in order of first appearance. */
export interface PlayerAnswer {
  mahjic_id: string | null;
  player: string | null;
  rating_before: number;
  rating_after: number;
  rating_change: number;
  verified_rating_before: number;
  verified_rating_after: number;
  verified_rating_change: number;
  games_played_total: number;
  verified_games_played_total: number;
  player_id: string;
  /** Whether this session created the player. */
  is_new_player: boolean;
}

/** What a change of the past did to one player's current standing. */
export interface PlayerChange {
  player_id: string;
  /** The same; null for anonymous players. */
  mahjic_id: string | null;
  rating_before: number;
  rating_after: number;
  rating_change: number;
  games_before: number;
  games_after: number;
  verified_rating_before: number;
  verified_rating_after: number;
  verified_rating_change: number;
  verified_games_before: number;
  verified_games_after: number;
}

/** What a round or a correction did in one pool. */
export interface PoolChange {
  rating_before: number;
  rating_change: number;
  rating_after: number;
  games_before: number;
  /** The same as before if the round did not count here. */
  games_after: number;
}

/** Why a round moved the player in one pool: the lines add up to the change exactly. */
export interface PoolReason {
  /** False if the round did not count in this pool. */
  counted: boolean;
  rating_before: number;
  games_before: number;
  lines: PairLine[];
  /** The sum of all `pair_gain_nano`. */
  sum_nano: number;
  /** What the formula divides the sum by: the number of opponents, or 1. */
  divided_by: number;
  /**
   * What rounding to hundredths, half to even, adds to the sum. Sum plus rounding, divided by
   * `divided_by`, is exactly the change.
   */
  rounding_nano: number;
  rating_change: number;
  rating_after: number;
}

/** What applies until the operator or the player says otherwise. */
export interface Privacy {
  player_id: string;
  privacy: "normal" | "private";
}

/** Whether the player is shown to the public. */
export interface PrivacyClaim {
  privacy: "normal" | "private";
}

/** Problem details (RFC 9457). Problems may have further members. */
export interface Problem {
  /** The page that explains this code. */
  type: string;
  /** The kind of problem, in words that never change. */
  title: string;
  status: number;
  /** What was wrong here, and what to do about it. */
  detail: string;
  /** Stable name for this kind of problem. */
  code: string;
  /** The id of this request, to give to the operator. */
  instance: string;
  /** Every mistake found, when there can be several. */
  errors?: ProblemMistake[];
  [further: string]: unknown;
}

/** One mistake, and where it is. */
export interface ProblemMistake {
  /** JSON pointer (RFC 6901) into the body, or /query/..., /path/..., /header/... */
  pointer: string;
  /** Stable name for this kind of mistake. */
  code: string;
  /** An explanation for people. */
  message: string;
}

/** A player's current standing. */
export interface Profile {
  /** The Mahjic ID. */
  player_id: string;
  /** The name the player chose, or else the id. */
  name: string;
  /** Whether the player is Verified right now. */
  is_verified: boolean;
  /** `verified` or `provisional`. */
  tier: string;
  /** Rating in the mahjic pool. */
  rating: number;
  /** The word for the rating. */
  band: string;
  /** Games counted in the mahjic pool. */
  games: number;
  /** How many of these games the player won. */
  mahjongs: number;
  /** Rating in the verified pool. */
  verified_rating: number;
  /** Games counted in the verified pool. */
  verified_games: number;
  /** Place on the global leaderboard with its default filter; null if not on it. */
  global_rank: number | null;
  /** The player's region. */
  region: string | null;
  /** Sessions played. */
  sessions: number;
  /** The date of the latest session. */
  last_played: string | null;
  /** The last fact that the numbers are based on. */
  seq: number;
  /** The last fact that involved this player; 0 before the first. */
  fact_seq: number;
  /**
   * While a fact is correcting the past part by part: how far it has come. A player's numbers
   * change with one of the parts, all at once. Otherwise null.
   */
  correcting: Correcting | null;
}

/** A record of a log: that it is there, and where; and what it says, if that may be shown. */
export interface ProvedRecord {
  log: "facts" | "verdicts";
  /** Its number on the log, from 1. Its leaf is number seq - 1. */
  seq: number;
  /** The hash of its leaf (RFC 6962), 32 bytes in base64. */
  leaf_hash: string;
  /** The hashes from the leaf to the root (RFC 6962), each in base64. */
  proof: string[];
  /** Null if it is withheld. */
  record: ShownRecord | null;
  /** Null if the record is shown. */
  withheld: Withheld | null;
}

/** Someone at the table, with their rating before the round. */
export interface RatedOpponent {
  /** The Mahjic ID; null for a private player and for Bob. */
  player_id: string | null;
  /** The public name, or else the Mahjic ID; `a private player` or `Bob (imaginary player)`. */
  player: string;
  /** In the mahjic pool. */
  rating_before: number;
}

/** Someone to put on record before their first game. */
export interface RegisterClaim {
  /** An email address, or `PRIVATE:` and one. */
  email: string;
}

/** A player on record. */
export interface RegisteredPlayer {
  player_id: string;
  mahjic_id: string;
}

/** Whose seats are whose now; `effect` is null until it is known. */
export interface ReseatAnswer {
  player_id: string;
  /** The player who has the seats now. */
  to: string;
  /** The sessions whose seats this fact reassigned. */
  session_ids: string[];
  /** Sessions of the request where it was already so. */
  skipped: string[];
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** The same; pass it to a read as `min_seq` to see the change. */
  seq: number;
  effect: EffectAnswer | null;
}

/** Who really sat in the player's seat, in which sessions. */
export interface ReseatClaim {
  /** The sessions in which the player's seats are another's: all or none. */
  sessions: string[];
  /**
   * The address of the one who sat there. Someone new is put on record, with `PRIVATE:` before the
   * address as a private player.
   */
  email: string;
  note?: string | null;
}

/** One round of the session, seats in the order submitted. */
export interface RoundAnswer {
  /** Whether a session of the source already had this round; null when a session is looked up. */
  on_record: boolean | null;
  games_played: number;
  wall_games: number;
  results: SeatAnswer[];
}

/** Games that the same 2 to 4 people play together. */
export interface RoundClaim {
  players: SeatClaim[];
  /** Games that no one won. */
  wall_games: number;
  /** The source's own name for the round. The same ref is the same round. */
  ref?: string | null;
}

/** One round, compared with what is on record. */
export interface RoundComparedAnswer {
  /** Where it is in the claim; null if it is not there. */
  pointer: string | null;
  what: "same" | "new" | "changed" | "missing";
  session_id: string | null;
  /** An explanation for people. */
  message: string;
  sheet?: string | null;
  row?: number | null;
  column?: string | null;
}

/** What a round did to the player in one version of the history. */
export interface RoundNumbers {
  mahjic: PoolChange;
  verified: PoolChange;
}

/** What one game brought. */
export interface ScoredGame {
  /** The line of the game in the file, from 1. */
  line: number;
  date: string | null;
  winner: string | null;
  /** What each player got, in seating order. */
  points: Record<string, number>;
}

/** A line of the table; numbers have at most four decimals, and averages need a game. */
export interface ScoredPlayer {
  /** The player's name; `*` is everyone together. */
  name: string;
  game_count: number;
  win_count: number;
  win_fraction: number | null;
  net_score: number;
  net_score_per_game: number | null;
}

/** What games come to under a rule book. */
export interface Scores {
  rulebook: string;
  /** Best average first, `*` last. */
  players: ScoredPlayer[];
  games: ScoredGame[];
  /** With `?session=true`: a claim for `POST /v1/sessions` for each date. */
  sessions?: SessionClaim[] | null;
  /** With `?session=true`: what looks odd about the sessions. */
  warnings?: ScoresWarning[] | null;
}

/** Games kept by hand, and what makes a session of them. */
export interface ScoresClaim {
  /** The games, in the format of the rule book: see docs/scoring.md. */
  games: string;
  /** For a session: an email address, `PRIVATE:` or `ANON:` for each name. */
  players?: Record<string, string>;
  /** The date for games that have none, YYYY-MM-DD. */
  session_date?: string | null;
  /** The game type of the sessions. */
  game_type?: "social" | "league" | "tournament";
}

/** Something that is odd, but does not keep the games from making a session. */
export interface ScoresWarning {
  pointer: string;
  /** The line in the games, from 1. */
  line: number | null;
  code: string;
  message: string;
}

/** The players that a search found, by name. */
export interface SearchAnswer {
  /** What was searched. */
  q: string;
  /** The last fact that the numbers are based on. */
  seq: number;
  /** While a fact is correcting the past part by part: how far it has come. Otherwise null. */
  correcting: Correcting | null;
  players: FoundPlayer[];
}

/**
 * One player's numbers in one round; Bob is always at 1500 with 0 games.
 *
 * Only mahjongs and points are shown for a private player named by the operator and never by this
 * source.
 */
export interface SeatAnswer {
  /** The same; null for anonymous players and Bob. */
  mahjic_id: string | null;
  /**
   * The player as you submitted it; null for everyone else, for someone whom only the operator
   * named, and once the player is forgotten.
   */
  player: string | null;
  mahjongs: number;
  points: number | null;
  rating_before: number | null;
  rating_after: number | null;
  rating_change: number | null;
  verified_rating_before: number | null;
  verified_rating_after: number | null;
  verified_rating_change: number | null;
  /** Games in the mahjic pool after this round. */
  games_played_total: number | null;
  /** The same in the verified pool. */
  verified_games_played_total: number | null;
  /** `MJ-...`, `AN-...` or `BOB`; null for someone you may not see. */
  player_id: string | null;
}

/** One player's part in a round. */
export interface SeatClaim {
  /**
   * Who played: an email address, `PRIVATE:address` (rated, but hidden), `ANON:nickname` (known
   * only to the source), or `bob@mahjic.org`, the imaginary player.
   */
  email: string;
  /** Games in the round, 1 to 200. */
  games_played: number;
  /** Games that this player won. */
  mahjongs: number;
  /**
   * Points in this round, at most two decimals; required for league and tournament, ignored for
   * social.
   */
  points?: number | null;
  /** Suggested to the player who claims the profile, and never published before that. */
  name?: string | null;
}

/** The answer to a submission; `results` and `rounds` are empty until it is rated. */
export interface SessionAnswer {
  /**
   * Whether the session counts today: false once it is voided, corrected or refused. Then `results`
   * and `rounds` only show how it was rated at the time.
   */
  counts: boolean;
  /** Who was named, as long as there are no results; empty once there are. */
  players?: NamedPlayer[];
  session_id: string;
  status: "accepted" | "rated" | "voided" | "corrected" | "refused";
  /** Everyone you may see, in order of first appearance. */
  results: PlayerAnswer[];
  rounds: RoundAnswer[];
  /**
   * The place of the session on the log of facts. Pass it to a read as `min_seq` to see the
   * session.
   */
  seq: number;
  warnings: WarningAnswer[];
}

/** What one source submits for one date. */
export interface SessionClaim {
  /** If given, it must be the key's own source. */
  source_id?: string | null;
  /** The date of play, YYYY-MM-DD. */
  session_date: string;
  game_type: "social" | "league" | "tournament";
  rounds: RoundClaim[];
  /** Record the session even though one of its rounds is on record. */
  allow_duplicate?: boolean;
  /**
   * This is everything these people played that night, as in a score sheet. If a session of yours
   * has part of it, with different numbers or rounds, nothing is recorded (409 `night_changed`):
   * correct that session.
   */
  whole_night?: boolean;
  /**
   * What to do if a session of yours has a round on the same date with the same people, or all but
   * one, and different numbers: `warn` (the default) records it with a warning, `refuse` records
   * nothing (409 `similar_round`).
   */
  if_similar?: "warn" | "refuse" | null;
}

/** A page of a source's sessions: newest day first, and last submitted first in a day. */
export interface SessionList {
  /** The last fact that the page is based on. */
  seq: number;
  source: string;
  /** With a filter, it may be short or empty and still not be the last page. */
  sessions: SessionRow[];
  /** For the next page; null on the last one. */
  next_cursor: string | null;
}

/** A session's fact and the first part of the verdict on it, with their proofs. */
export interface SessionProof {
  session_id: string;
  checkpoints: SignedNotes;
  fact: ProvedRecord;
  verdict: ProvedRecord;
}

/** A session in its source's list. */
export interface SessionRow {
  session_id: string;
  /** Null only if its fact cannot be read. */
  session_date: string | null;
  game_type: string | null;
  status: "accepted" | "rated" | "voided" | "corrected" | "refused";
  /** Whether it counts today, as in the session itself. */
  counts: boolean;
  /** Why it was voided or corrected; otherwise null. */
  reason: string | null;
  rounds_count: number;
  /** Everyone who played in it, without Bob. */
  players_count: number;
  /** The ones you may see, by the ids in the session. */
  players: NamedPlayer[];
  /** When it was submitted, in UTC (RFC 3339). */
  submitted_at: string;
  /** The session that this one replaced. */
  corrects: string | null;
  /** The session that replaced this one. */
  corrected_by: string | null;
  /** The place of the session on the log of facts. */
  fact_seq: number;
}

/** Something that is odd, but is submitted anyway. */
export interface SheetWarning {
  sheet: string | null;
  row: number | null;
  column: string | null;
  /** JSON pointer (RFC 6901) into the claim. */
  pointer: string;
  code: string;
  message: string;
}

/** A whole record, but for its chain values, and what makes its leaf from it. */
export interface ShownRecord {
  /**
   * The record as on the log. Where it names the chain of a fact, that is left empty:
   * `"fact_chain":""`.
   */
  body: string;
  /** 32 bytes in base64. They are nobody's to guess. */
  salt: string;
  /**
   * What stands for the chain values, in base64. The leaf holds SHA-256 of the salt, the record,
   * and this.
   */
  chains_hash: string;
}

/** The signed notes that the proofs lead to: size and root of the tree of each log. */
export interface SignedNotes {
  facts: string;
  verdicts: string;
}

/** A verified source, and what it has brought in. */
export interface Source {
  slug: string;
  name: string;
  /** `platform`, `club` or `league`. */
  type: string;
  region: string | null;
  /** Sessions that count. */
  sessions: number;
  /** Sessions that were voided and not corrected since. */
  sessions_voided: number;
  rounds: number;
  games: number;
  /** Public players in those sessions. */
  players: number;
  /** The date of the latest session. */
  last_session: string | null;
}

/** Who submitted a session. */
export interface SourceName {
  slug: string;
  name: string;
}

/** All verified sources, by slug. */
export interface Sources {
  /** The last fact that the counts are based on. */
  seq: number;
  /**
   * While the next fact is correcting the past part by part: how far it has come. A source's counts
   * change with the first part. Otherwise null.
   */
  correcting: Correcting | null;
  sources: Source[];
}

/** A session as it is today. The numbers are those that it was rated with. */
export interface StoredSessionAnswer {
  /**
   * Whether the session counts today: false once it is voided, corrected or refused. Then `results`
   * and `rounds` only show how it was rated at the time.
   */
  counts: boolean;
  /** Who was named, as long as there are no results; empty once there are. */
  players?: NamedPlayer[];
  session_id: string;
  status: "accepted" | "rated" | "voided" | "corrected" | "refused";
  /** Everyone you may see, in order of first appearance. */
  results: PlayerAnswer[];
  rounds: RoundAnswer[];
  warnings: WarningAnswer[];
  /** The last fact that the answer is based on. */
  seq: number;
  /** The place of the session on the log of facts. */
  fact_seq: number;
  /** Its place in the order of rating: that of the first session it corrects. */
  place_seq: number;
  /** When it was submitted, in UTC (RFC 3339). */
  submitted_at: string;
  /** The session that this one replaced. */
  corrects: string | null;
  /** The session that replaced this one. */
  corrected_by: string | null;
  /** The note on the correction that made it; null for auditors. */
  note: string | null;
  /**
   * What replacing another session with it did; null if it corrects none, or while that is not
   * known yet.
   */
  effect: EffectAnswer | null;
  /** What voided or corrected it; otherwise null. */
  ended: EndedAnswer | null;
  /**
   * The last fact that gave seats of this session to other players, if there is one. The numbers
   * stay as they were published; the score sheet names who sits there.
   */
  reseated_fact_seq: number | null;
}

/** The answer that a submission would get with today's ratings. Nothing was recorded. */
export interface TrialAnswer {
  /**
   * Whether the session counts today: false once it is voided, corrected or refused. Then `results`
   * and `rounds` only show how it was rated at the time.
   */
  counts: boolean;
  /** Who was named, as long as there are no results; empty once there are. */
  players?: NamedPlayer[];
  /** Null: nothing was recorded. */
  session_id: null;
  status: "dry_run";
  /** The fact that the ratings are based on. */
  seq: number;
  results: TriedPlayer[];
  rounds: TriedRound[];
  warnings: WarningAnswer[];
}

/** What a session would do to one player. */
export interface TriedPlayer {
  mahjic_id: string | null;
  player: string | null;
  rating_before: number;
  rating_after: number;
  rating_change: number;
  verified_rating_before: number;
  verified_rating_after: number;
  verified_rating_change: number;
  games_played_total: number;
  verified_games_played_total: number;
  /** Null for anyone you have never had in a session, whether or not Mahjic knows them. */
  player_id: string | null;
  /** Whether the player is new to you: you have never had them in a session. */
  is_new_player: boolean;
}

/** One round of the session, seats in the order submitted. */
export interface TriedRound {
  /** Whether a session of the source already had this round; null when a session is looked up. */
  on_record: boolean | null;
  games_played: number;
  wall_games: number;
  results: TriedSeat[];
}

/** One player's numbers in one round, as they would be. */
export interface TriedSeat {
  /** The same; null for anonymous players and Bob. */
  mahjic_id: string | null;
  /**
   * The player as you submitted it; null for everyone else, for someone whom only the operator
   * named, and once the player is forgotten.
   */
  player: string | null;
  mahjongs: number;
  points: number | null;
  rating_before: number | null;
  rating_after: number | null;
  rating_change: number | null;
  verified_rating_before: number | null;
  verified_rating_after: number | null;
  verified_rating_change: number | null;
  /** Games in the mahjic pool after this round. */
  games_played_total: number | null;
  /** The same in the verified pool. */
  verified_games_played_total: number | null;
  /** Null for anyone you have never had in a session, whether or not Mahjic knows them. */
  player_id: string | null;
}

/** The player is someone else after all. */
export interface UnmergeClaim {
  note?: string | null;
}

/** What applies from this place on the log onward. */
export interface Verification {
  player_id: string;
  verified: boolean;
  /** Pass it to a read as `min_seq` to see the change. */
  seq: number;
}

/** What the operator decides about a player. */
export interface VerificationClaim {
  /**
   * `true` makes the player Verified, `false` keeps the player from it, and `null` takes back what
   * was decided: payment and identity decide then.
   */
  verified: boolean | null;
  /** Why, in a sentence. It is kept until the player is forgotten, and is on no log. */
  reason?: string | null;
}

/** The answer to the void of a session; `effect` is null until it is known. */
export interface VoidAnswer {
  session_id: string;
  /** Today's status; `corrected` if the void is sent again under its key. */
  status: "voided" | "corrected";
  reason: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** The same; pass it to a read as `min_seq` to see the change. */
  seq: number;
  effect: EffectAnswer | null;
}

/** Why a session is left out. */
export interface VoidClaim {
  reason: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  note?: string | null;
}

/** The answer to the void of many sessions; `effect` is null until it is known. */
export interface VoidsAnswer {
  /** The sessions that this fact voids. */
  session_ids: string[];
  /** Sessions of the request that were already voided. */
  skipped: string[];
  status: "voided";
  reason: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  /** The place of the change on the log of facts. */
  fact_seq: number;
  /** The same; pass it to a read as `min_seq` to see the change. */
  seq: number;
  effect: EffectAnswer | null;
}

/** Sessions to leave out, all of them or none. */
export interface VoidsClaim {
  reason: "entered_twice" | "wrong_players" | "wrong_result" | "not_played" | "rules_broken" | "test_entry" | "other";
  note?: string | null;
  session_ids: string[];
}

/** Something that is allowed but worth a look. */
export interface WarningAnswer {
  pointer: string;
  code: string;
  message: string;
  /** The session of the source that this is about, if any. */
  session_id?: string | null;
}

/** The full reason for one change by a round, in the numbers as published. */
export interface Why {
  /** A permanent id: player, fact, and the round unless it is a correction. */
  change_id: string;
  /** The fact behind it; auditors can read it with `GET /v1/log/facts?from=FACT&limit=1`. */
  fact_seq: number;
  /**
   * The id that it moved, if that id is merged into this player. The numbers before and after are
   * those of that id; all changes of the page add up to the rating.
   */
  played_as: string | null;
  session_id: string;
  source: SourceName;
  session_date: string;
  game_type: string;
  /** From 1, in the order of the session. */
  round_number: number;
  games_played: number;
  /** Games that the player won. */
  mahjongs: number;
  /** League and tournament points; null if social. */
  points: number | null;
  /**
   * Whether the session has since been voided. The round stays, and the correction that took it
   * back is a separate entry.
   */
  voided: boolean;
  /** The session that replaced this one, if it was corrected. */
  superseded_by: string | null;
  /** A round, as it was rated and published. */
  type: "round";
  /** The last fact that the answer is based on. */
  seq: number;
  player_id: string;
  /**
   * What has been done to the session since, in order. Each of these moved its players again, as a
   * change of its own: `PLAYER.FACT`.
   */
  corrections: LaterCorrection[];
  formula: string;
  mahjic: PoolReason;
  verified: PoolReason;
}

/**
 * The full reason for one change by a correction: the rounds whose numbers changed.
 *
 * What they give after it, minus what they gave before it, adds up to the change exactly.
 */
export interface WhyCorrected {
  /** A permanent id: player, fact, and the round unless it is a correction. */
  change_id: string;
  /** The fact behind it; auditors can read it with `GET /v1/log/facts?from=FACT&limit=1`. */
  fact_seq: number;
  /**
   * The id that it moved, if that id is merged into this player. The numbers before and after are
   * those of that id; all changes of the page add up to the rating.
   */
  played_as: string | null;
  /** The day that fact was accepted, in UTC. `from` and `to` go by it. */
  corrected_on: string;
  /**
   * `void` of sessions, `correction` of a session, `merge` or `unmerge` of two ids of one player,
   * `reseat` when a seat in some sessions turned out to be another player's, or a `formula` that
   * applies from the beginning.
   */
  cause: "void" | "correction" | "merge" | "unmerge" | "reseat" | "formula";
  /** The code for why sessions were voided or corrected; null for other causes. */
  reason: string | null;
  /**
   * The sessions that were voided or corrected, or in which a seat is another player's, the first
   * 20 of them. The id of a session says nothing about people, only when it was submitted; what
   * happened in it is shown to its source and to auditors.
   */
  sessions: string[];
  /** How many such sessions there are. */
  sessions_count: number;
  /** The session that replaced the corrected one. */
  replaced_by: string | null;
  /** Who was merged, or is no longer merged; otherwise null. */
  merged: Merged | null;
  /** The formula that was adopted; otherwise null. */
  formula: string | null;
  mahjic: PoolChange;
  verified: PoolChange;
  /** What a fact about the past did. */
  type: "correction";
  /**
   * How many of the player's rounds have different numbers. Null if the history is too long for
   * this service to replay; the numbers above are right all the same.
   */
  rounds_count: number | null;
  /** One page of those rounds, in the order they count. */
  rounds: ChangedRound[] | null;
  /** For the next page; null on the last one. */
  next_cursor: string | null;
  /** The last fact that the answer is based on. */
  seq: number;
  player_id: string;
  /** How many players the correction moved. */
  players_moved: number;
}

/** Why a record is not shown. */
export interface Withheld {
  code: string;
  message: string;
}

/** Wrong addresses, from the oldest invitation on. */
export interface WrongAddressList {
  wrong_addresses: WrongAddressRow[];
  /** Pass it as `after` for the next page; null at the end. */
  next_after: number | null;
}

/** A player whose address is somebody else's, who said so from the mail that they got there. */
export interface WrongAddressRow {
  number: number;
  /** The player whom the source named by it. */
  player_id: string;
  /** Who sent the address. */
  source: string;
  /** The session that the mail was about. */
  session_id: string;
  session_date: string;
  said_at: string;
}
