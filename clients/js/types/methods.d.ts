/** A method for each route, which `make docs` writes from docs/openapi.json. */
import { Asking } from "./asking.js";
import type { Answer, Options, Paged, Row, Trial } from "./api.js";
/** @import { Answer, Options, Paged, Row, Trial } from "./api.js" */
/** All that can be asked of Mahjic in one request, and all lists that come in pages. */
export declare class Methods extends Asking {
    /**
     * Is the process alive?
     * @param {Options<"getHealth">} [options]
     * @returns {Promise<Answer<"getHealth">>}
     */
    getHealth(options?: Options<"getHealth">): Promise<Answer<"getHealth">>;
    /**
     * Can it do its work?
     * @param {Options<"getReadiness">} [options]
     * @returns {Promise<Answer<"getReadiness">>}
     */
    getReadiness(options?: Options<"getReadiness">): Promise<Answer<"getReadiness">>;
    /**
     * Metrics for Prometheus.
     * @param {Options<"getMetrics">} [options]
     * @returns {Promise<Answer<"getMetrics">>}
     */
    getMetrics(options?: Options<"getMetrics">): Promise<Answer<"getMetrics">>;
    /**
     * Record a session and answer with every rating before and after.
     *
     * All mistakes are reported at once. Sending the same session again is safe, with or without an
     * Idempotency-Key.
     * @overload
     * @param {Options<"submitSession"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"submitSession">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {Options<"submitSession"> & { dry_run: true }} options
     * @returns {Promise<Trial<"submitSession">>}
     */
    /**
     * @param {Options<"submitSession">} options
     * @returns {Promise<any>}
     */
    submitSession(options: Options<"submitSession"> & {
        dry_run?: false | undefined;
    }): Promise<Answer<"submitSession">>;
    /**
     * Record a session and answer with every rating before and after.
     *
     * All mistakes are reported at once. Sending the same session again is safe, with or without an
     * Idempotency-Key.
     * @overload
     * @param {Options<"submitSession"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"submitSession">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {Options<"submitSession"> & { dry_run: true }} options
     * @returns {Promise<Trial<"submitSession">>}
     */
    /**
     * @param {Options<"submitSession">} options
     * @returns {Promise<any>}
     */
    submitSession(options: Options<"submitSession"> & {
        dry_run: true;
    }): Promise<Trial<"submitSession">>;
    /**
     * List a source's own sessions, newest day first, with the ids that changes need.
     * @param {Options<"listSessions">} [options]
     * @returns {Promise<Answer<"listSessions">>}
     */
    listSessions(options?: Options<"listSessions">): Promise<Answer<"listSessions">>;
    /**
     * Go through all that `listSessions` shows, page by page.
     * @param {Paged<"listSessions">} [options]
     * @returns {AsyncGenerator<Row<"listSessions">, void>}
     */
    sessions(options?: Paged<"listSessions">): AsyncGenerator<Row<"listSessions">, void>;
    /**
     * Record the session in a CSV or XLSX file, and answer as for any submission.
     *
     * If there are mistakes, all of them are reported at once, each with its sheet, row and column,
     * and nothing is recorded. The type of a file is read from its bytes, so
     * `application/octet-stream` is fine too.
     * @overload
     * @param {Options<"submitSheet"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"submitSheet">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {Options<"submitSheet"> & { dry_run: true }} options
     * @returns {Promise<Trial<"submitSheet">>}
     */
    /**
     * @param {Options<"submitSheet">} options
     * @returns {Promise<any>}
     */
    submitSheet(options: Options<"submitSheet"> & {
        dry_run?: false | undefined;
    }): Promise<Answer<"submitSheet">>;
    /**
     * Record the session in a CSV or XLSX file, and answer as for any submission.
     *
     * If there are mistakes, all of them are reported at once, each with its sheet, row and column,
     * and nothing is recorded. The type of a file is read from its bytes, so
     * `application/octet-stream` is fine too.
     * @overload
     * @param {Options<"submitSheet"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"submitSheet">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {Options<"submitSheet"> & { dry_run: true }} options
     * @returns {Promise<Trial<"submitSheet">>}
     */
    /**
     * @param {Options<"submitSheet">} options
     * @returns {Promise<any>}
     */
    submitSheet(options: Options<"submitSheet"> & {
        dry_run: true;
    }): Promise<Trial<"submitSheet">>;
    /**
     * Replace an older session with the one in a CSV or XLSX file.
     *
     * It is a correction like any other. The file holds the whole night, as it should have been.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"correctSessionWithSheet">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet"> & { dry_run: true }} options
     * @returns {Promise<Trial<"correctSessionWithSheet">>}
     */
    /**
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet">} options
     * @returns {Promise<any>}
     */
    correctSessionWithSheet(sessionId: string, options: Options<"correctSessionWithSheet"> & {
        dry_run?: false | undefined;
    }): Promise<Answer<"correctSessionWithSheet">>;
    /**
     * Replace an older session with the one in a CSV or XLSX file.
     *
     * It is a correction like any other. The file holds the whole night, as it should have been.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"correctSessionWithSheet">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet"> & { dry_run: true }} options
     * @returns {Promise<Trial<"correctSessionWithSheet">>}
     */
    /**
     * @param {string} sessionId
     * @param {Options<"correctSessionWithSheet">} options
     * @returns {Promise<any>}
     */
    correctSessionWithSheet(sessionId: string, options: Options<"correctSessionWithSheet"> & {
        dry_run: true;
    }): Promise<Trial<"correctSessionWithSheet">>;
    /**
     * Leave a session out, as if it had never been played. The answer says who moved.
     *
     * A source can void its own sessions for a limited time after submitting them. The operator can
     * void any session.
     * @param {string} sessionId
     * @param {Options<"voidSession">} options
     * @returns {Promise<Answer<"voidSession">>}
     */
    voidSession(sessionId: string, options: Options<"voidSession">): Promise<Answer<"voidSession">>;
    /**
     * Replace a session with a whole new one. The answer says who moved.
     *
     * Anything that is refused in a submission is refused here too. A voided session can also be
     * corrected.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSession"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"correctSession">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSession"> & { dry_run: true }} options
     * @returns {Promise<Trial<"correctSession">>}
     */
    /**
     * @param {string} sessionId
     * @param {Options<"correctSession">} options
     * @returns {Promise<any>}
     */
    correctSession(sessionId: string, options: Options<"correctSession"> & {
        dry_run?: false | undefined;
    }): Promise<Answer<"correctSession">>;
    /**
     * Replace a session with a whole new one. The answer says who moved.
     *
     * Anything that is refused in a submission is refused here too. A voided session can also be
     * corrected.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSession"> & { dry_run?: false | undefined }} options
     * @returns {Promise<Answer<"correctSession">>}
     */
    /**
     * The same as a dry run: nothing is recorded.
     * @overload
     * @param {string} sessionId
     * @param {Options<"correctSession"> & { dry_run: true }} options
     * @returns {Promise<Trial<"correctSession">>}
     */
    /**
     * @param {string} sessionId
     * @param {Options<"correctSession">} options
     * @returns {Promise<any>}
     */
    correctSession(sessionId: string, options: Options<"correctSession"> & {
        dry_run: true;
    }): Promise<Trial<"correctSession">>;
    /**
     * Register someone who has not played yet.
     * @param {Options<"registerPlayer">} options
     * @returns {Promise<Answer<"registerPlayer">>}
     */
    registerPlayer(options: Options<"registerPlayer">): Promise<Answer<"registerPlayer">>;
    /**
     * Show or hide a player.
     * @param {string} playerId
     * @param {Options<"setPrivacy">} options
     * @returns {Promise<Answer<"setPrivacy">>}
     */
    setPrivacy(playerId: string, options: Options<"setPrivacy">): Promise<Answer<"setPrivacy">>;
    /**
     * Forget who a player is.
     * @param {string} playerId
     * @param {Options<"forgetPlayer">} [options]
     * @returns {Promise<Answer<"forgetPlayer">>}
     */
    forgetPlayer(playerId: string, options?: Options<"forgetPlayer">): Promise<Answer<"forgetPlayer">>;
    /**
     * List which sessions players say they did not play, and what became of each.
     * @param {Options<"listDisputes">} [options]
     * @returns {Promise<Answer<"listDisputes">>}
     */
    listDisputes(options?: Options<"listDisputes">): Promise<Answer<"listDisputes">>;
    /**
     * Go through all that `listDisputes` shows, page by page.
     * @param {Paged<"listDisputes">} [options]
     * @returns {AsyncGenerator<Row<"listDisputes">, void>}
     */
    disputes(options?: Paged<"listDisputes">): AsyncGenerator<Row<"listDisputes">, void>;
    /**
     * Answer a player about a session. The player reads it; it is on no log.
     * @param {Options<"answerDispute">} options
     * @returns {Promise<Answer<"answerDispute">>}
     */
    answerDispute(options: Options<"answerDispute">): Promise<Answer<"answerDispute">>;
    /**
     * List the players whose addresses are wrong: whoever reads there said "this is not me".
     * @param {Options<"listWrongAddresses">} [options]
     * @returns {Promise<Answer<"listWrongAddresses">>}
     */
    listWrongAddresses(options?: Options<"listWrongAddresses">): Promise<Answer<"listWrongAddresses">>;
    /**
     * Go through all that `listWrongAddresses` shows, page by page.
     * @param {Paged<"listWrongAddresses">} [options]
     * @returns {AsyncGenerator<Row<"listWrongAddresses">, void>}
     */
    wrongAddresses(options?: Paged<"listWrongAddresses">): AsyncGenerator<Row<"listWrongAddresses">, void>;
    /**
     * List what happened to your sessions and players, in order; the same as webhooks say.
     *
     * With `Prefer: wait=30` it waits for the next event. With `Accept: application/x-ndjson`, each
     * event is a line.
     * @param {Options<"listEvents">} [options]
     * @returns {Promise<Answer<"listEvents">>}
     */
    listEvents(options?: Options<"listEvents">): Promise<Answer<"listEvents">>;
    /**
     * Leave sessions out in one step, all of them or none.
     * @param {Options<"voidSessions">} options
     * @returns {Promise<Answer<"voidSessions">>}
     */
    voidSessions(options: Options<"voidSessions">): Promise<Answer<"voidSessions">>;
    /**
     * Treat all of a player's history as another player's. This can be undone.
     * @param {string} playerId
     * @param {Options<"mergePlayer">} options
     * @returns {Promise<Answer<"mergePlayer">>}
     */
    mergePlayer(playerId: string, options: Options<"mergePlayer">): Promise<Answer<"mergePlayer">>;
    /**
     * Bring a merged player back, exactly as if the merge had never happened.
     * @param {string} playerId
     * @param {Options<"unmergePlayer">} [options]
     * @returns {Promise<Answer<"unmergePlayer">>}
     */
    unmergePlayer(playerId: string, options?: Options<"unmergePlayer">): Promise<Answer<"unmergePlayer">>;
    /**
     * Give a player's seats in some sessions to another address, as if it had always been so.
     *
     * All of the sessions change, or none. The same request the other way undoes it.
     * @param {string} playerId
     * @param {Options<"reseatPlayer">} options
     * @returns {Promise<Answer<"reseatPlayer">>}
     */
    reseatPlayer(playerId: string, options: Options<"reseatPlayer">): Promise<Answer<"reseatPlayer">>;
    /**
     * Switch to another rating formula, for new sessions only or for the whole history.
     * @param {Options<"adoptFormula">} options
     * @returns {Promise<Answer<"adoptFormula">>}
     */
    adoptFormula(options: Options<"adoptFormula">): Promise<Answer<"adoptFormula">>;
    /**
     * Erase the note on a void, a correction or a merge.
     * @param {number} factSeq
     * @param {Options<"eraseNote">} [options]
     * @returns {Promise<Answer<"eraseNote">>}
     */
    eraseNote(factSeq: number, options?: Options<"eraseNote">): Promise<Answer<"eraseNote">>;
    /**
     * Find people by address, nickname, id or part of a name. It registers no one. A source finds the
     * people it named itself in a session on record, by the names it used. For everyone else the
     * answer is the same, whether or not Mahjic knows them. The operator finds anyone.
     * @param {Options<"lookUpPeople">} [options]
     * @returns {Promise<Answer<"lookUpPeople">>}
     */
    lookUpPeople(options?: Options<"lookUpPeople">): Promise<Answer<"lookUpPeople">>;
    /**
     * Score games under a rule book, and return the session they make. Nothing is recorded.
     *
     * Mistakes are located by line. The session is not judged until it is submitted.
     * @param {string} rulebook
     * @param {Options<"scoreGames">} options
     * @returns {Promise<Answer<"scoreGames">>}
     */
    scoreGames(rulebook: string, options: Options<"scoreGames">): Promise<Answer<"scoreGames">>;
    /**
     * Verify a player, or end the verification.
     * @param {string} playerId
     * @param {Options<"setVerification">} options
     * @returns {Promise<Answer<"setVerification">>}
     */
    setVerification(playerId: string, options: Options<"setVerification">): Promise<Answer<"setVerification">>;
    /**
     * Find public players by the beginning of any word in their name, or of their id.
     *
     * Case and accents do not matter.
     * @param {Options<"searchPlayers">} options
     * @returns {Promise<Answer<"searchPlayers">>}
     */
    searchPlayers(options: Options<"searchPlayers">): Promise<Answer<"searchPlayers">>;
    /**
     * Show a player's current standing.
     *
     * A mistyped id gets 422 `mistyped_player_id`. Unknown and private players get the same 404.
     * @param {string} playerId
     * @param {Options<"getPlayer">} [options]
     * @returns {Promise<Answer<"getPlayer">>}
     */
    getPlayer(playerId: string, options?: Options<"getPlayer">): Promise<Answer<"getPlayer">>;
    /**
     * List every change in a player's ratings, newest first, in log order.
     *
     * Rounds appear as they were rated and published. A later correction is a separate entry, so
     * 1500.00 plus all changes gives the current rating. The list includes the changes of every id
     * that is merged into the player (`played_as`).
     * @param {string} playerId
     * @param {Options<"getHistory">} [options]
     * @returns {Promise<Answer<"getHistory">>}
     */
    getHistory(playerId: string, options?: Options<"getHistory">): Promise<Answer<"getHistory">>;
    /**
     * Go through all that `getHistory` shows, page by page.
     * @param {string} playerId
     * @param {Paged<"getHistory">} [options]
     * @returns {AsyncGenerator<Row<"getHistory">, void>}
     */
    history(playerId: string, options?: Paged<"getHistory">): AsyncGenerator<Row<"getHistory">, void>;
    /**
     * Show the full reason for one change. Its parts add up to the change exactly.
     *
     * For a round, the parts are the comparisons with each opponent, in the numbers as published. For
     * a correction, they are the player's rounds whose numbers changed. Those are found by replaying
     * all facts without the correction and with it. Until that is done, the answer is 503
     * `being_computed`.
     * @param {string} playerId
     * @param {string} changeId
     * @param {Options<"getChange">} [options]
     * @returns {Promise<Answer<"getChange">>}
     */
    getChange(playerId: string, changeId: string, options?: Options<"getChange">): Promise<Answer<"getChange">>;
    /**
     * Go through all that `getChange` shows, page by page.
     * @param {string} playerId
     * @param {string} changeId
     * @param {Paged<"getChange">} [options]
     * @returns {AsyncGenerator<Row<"getChange">, void>}
     */
    changedRounds(playerId: string, changeId: string, options?: Paged<"getChange">): AsyncGenerator<Row<"getChange">, void>;
    /**
     * Show the name of the formula in force, all its numbers, and the rating bands.
     * @param {Options<"getFormula">} [options]
     * @returns {Promise<Answer<"getFormula">>}
     */
    getFormula(options?: Options<"getFormula">): Promise<Answer<"getFormula">>;
    /**
     * Show a page of the global leaderboard. Places are within the filters.
     * @param {Options<"getLeaderboard">} [options]
     * @returns {Promise<Answer<"getLeaderboard">>}
     */
    getLeaderboard(options?: Options<"getLeaderboard">): Promise<Answer<"getLeaderboard">>;
    /**
     * Go through all that `getLeaderboard` shows, page by page.
     * @param {Paged<"getLeaderboard">} [options]
     * @returns {AsyncGenerator<Row<"getLeaderboard">, void>}
     */
    leaderboard(options?: Paged<"getLeaderboard">): AsyncGenerator<Row<"getLeaderboard">, void>;
    /**
     * Show a page of a region's leaderboard.
     * @param {string} region
     * @param {Options<"getRegionLeaderboard">} [options]
     * @returns {Promise<Answer<"getRegionLeaderboard">>}
     */
    getRegionLeaderboard(region: string, options?: Options<"getRegionLeaderboard">): Promise<Answer<"getRegionLeaderboard">>;
    /**
     * Go through all that `getRegionLeaderboard` shows, page by page.
     * @param {string} region
     * @param {Paged<"getRegionLeaderboard">} [options]
     * @returns {AsyncGenerator<Row<"getRegionLeaderboard">, void>}
     */
    regionLeaderboard(region: string, options?: Paged<"getRegionLeaderboard">): AsyncGenerator<Row<"getRegionLeaderboard">, void>;
    /**
     * Show a page of the leaderboard of everyone who sat in a source's sessions that count.
     * @param {string} source
     * @param {Options<"getSourceLeaderboard">} [options]
     * @returns {Promise<Answer<"getSourceLeaderboard">>}
     */
    getSourceLeaderboard(source: string, options?: Options<"getSourceLeaderboard">): Promise<Answer<"getSourceLeaderboard">>;
    /**
     * Go through all that `getSourceLeaderboard` shows, page by page.
     * @param {string} source
     * @param {Paged<"getSourceLeaderboard">} [options]
     * @returns {AsyncGenerator<Row<"getSourceLeaderboard">, void>}
     */
    sourceLeaderboard(source: string, options?: Paged<"getSourceLeaderboard">): AsyncGenerator<Row<"getSourceLeaderboard">, void>;
    /**
     * List the verified sources.
     * @param {Options<"listSources">} [options]
     * @returns {Promise<Answer<"listSources">>}
     */
    listSources(options?: Options<"listSources">): Promise<Answer<"listSources">>;
    /**
     * Show one verified source.
     * @param {string} source
     * @param {Options<"getSource">} [options]
     * @returns {Promise<Answer<"getSource">>}
     */
    getSource(source: string, options?: Options<"getSource">): Promise<Answer<"getSource">>;
    /**
     * Show a source its own session, with the ratings once they are there.
     *
     * It is never older than the answer to submitting, voiding or correcting the session.
     *
     * If the session was voided or corrected since, it says so, and what that did. Sessions that
     * correct each other name each other.
     * @param {string} sessionId
     * @param {Options<"getSession">} [options]
     * @returns {Promise<Answer<"getSession">>}
     */
    getSession(sessionId: string, options?: Options<"getSession">): Promise<Answer<"getSession">>;
    /**
     * Get the blank score sheet. Once it is filled in, `POST /v1/sheets` takes it.
     * @param {Options<"getSheetTemplateCsv">} [options]
     * @returns {Promise<Answer<"getSheetTemplateCsv">>}
     */
    getSheetTemplateCsv(options?: Options<"getSheetTemplateCsv">): Promise<Answer<"getSheetTemplateCsv">>;
    /**
     * Give a source its own session as a score sheet that it could have sent.
     *
     * It has the addresses and nicknames that the source sent itself. People who were erased appear
     * as `(erased)`.
     * @param {string} sessionId
     * @param {Options<"getSessionSheetCsv">} [options]
     * @returns {Promise<Answer<"getSessionSheetCsv">>}
     */
    getSessionSheetCsv(sessionId: string, options?: Options<"getSessionSheetCsv">): Promise<Answer<"getSessionSheetCsv">>;
    /**
     * Get the blank score sheet. Once it is filled in, `POST /v1/sheets` takes it.
     * @param {Options<"getSheetTemplateXlsx">} [options]
     * @returns {Promise<Answer<"getSheetTemplateXlsx">>}
     */
    getSheetTemplateXlsx(options?: Options<"getSheetTemplateXlsx">): Promise<Answer<"getSheetTemplateXlsx">>;
    /**
     * Give a source its own session as a score sheet that it could have sent.
     *
     * It has the addresses and nicknames that the source sent itself. People who were erased appear
     * as `(erased)`.
     * @param {string} sessionId
     * @param {Options<"getSessionSheetXlsx">} [options]
     * @returns {Promise<Answer<"getSessionSheetXlsx">>}
     */
    getSessionSheetXlsx(sessionId: string, options?: Options<"getSessionSheetXlsx">): Promise<Answer<"getSessionSheetXlsx">>;
    /**
     * Show facts as they are on the log: ids, codes and numbers, never who people are.
     * @param {Options<"listFacts">} [options]
     * @returns {Promise<Answer<"listFacts">>}
     */
    listFacts(options?: Options<"listFacts">): Promise<Answer<"listFacts">>;
    /**
     * Go through all that `listFacts` shows, page by page.
     * @param {Paged<"listFacts">} [options]
     * @returns {AsyncGenerator<Row<"listFacts">, void>}
     */
    facts(options?: Paged<"listFacts">): AsyncGenerator<Row<"listFacts">, void>;
    /**
     * Show verdicts as they are on the log. Each names the fact that it answers.
     * @param {Options<"listVerdicts">} [options]
     * @returns {Promise<Answer<"listVerdicts">>}
     */
    listVerdicts(options?: Options<"listVerdicts">): Promise<Answer<"listVerdicts">>;
    /**
     * Go through all that `listVerdicts` shows, page by page.
     * @param {Paged<"listVerdicts">} [options]
     * @returns {AsyncGenerator<Row<"listVerdicts">, void>}
     */
    verdicts(options?: Paged<"listVerdicts">): AsyncGenerator<Row<"listVerdicts">, void>;
    /**
     * Show the reason for one change, with a proof that it is on the public log.
     *
     * The fact and the verdict are shown as they are on the logs only if everybody in them is public,
     * or to an auditor. Otherwise the proof shows where they are, and that they are never changed.
     * @param {string} playerId
     * @param {string} changeId
     * @param {Options<"getChangeProof">} [options]
     * @returns {Promise<Answer<"getChangeProof">>}
     */
    getChangeProof(playerId: string, changeId: string, options?: Options<"getChangeProof">): Promise<Answer<"getChangeProof">>;
    /**
     * List the changes of a player, newest first, each with its reason and its proof.
     * @param {string} playerId
     * @param {Options<"listChangeProofs">} [options]
     * @returns {Promise<Answer<"listChangeProofs">>}
     */
    listChangeProofs(playerId: string, options?: Options<"listChangeProofs">): Promise<Answer<"listChangeProofs">>;
    /**
     * Go through all that `listChangeProofs` shows, page by page.
     * @param {string} playerId
     * @param {Paged<"listChangeProofs">} [options]
     * @returns {AsyncGenerator<Row<"listChangeProofs">, void>}
     */
    changeProofs(playerId: string, options?: Paged<"listChangeProofs">): AsyncGenerator<Row<"listChangeProofs">, void>;
    /**
     * Show a source its own session as it is on the logs, with a proof.
     *
     * If somebody in it is neither public nor named by the source, the record itself is withheld.
     * @param {string} sessionId
     * @param {Options<"getSessionProof">} [options]
     * @returns {Promise<Answer<"getSessionProof">>}
     */
    getSessionProof(sessionId: string, options?: Options<"getSessionProof">): Promise<Answer<"getSessionProof">>;
    /**
     * Show what hides each fact in its leaf of the public log, and its chain values.
     * @param {Options<"listFactSalts">} [options]
     * @returns {Promise<Answer<"listFactSalts">>}
     */
    listFactSalts(options?: Options<"listFactSalts">): Promise<Answer<"listFactSalts">>;
    /**
     * Go through all that `listFactSalts` shows, page by page.
     * @param {Paged<"listFactSalts">} [options]
     * @returns {AsyncGenerator<Row<"listFactSalts">, void>}
     */
    factSalts(options?: Paged<"listFactSalts">): AsyncGenerator<Row<"listFactSalts">, void>;
    /**
     * Show what hides each verdict in its leaf of the public log, and its chain values.
     * @param {Options<"listVerdictSalts">} [options]
     * @returns {Promise<Answer<"listVerdictSalts">>}
     */
    listVerdictSalts(options?: Options<"listVerdictSalts">): Promise<Answer<"listVerdictSalts">>;
    /**
     * Go through all that `listVerdictSalts` shows, page by page.
     * @param {Paged<"listVerdictSalts">} [options]
     * @returns {AsyncGenerator<Row<"listVerdictSalts">, void>}
     */
    verdictSalts(options?: Paged<"listVerdictSalts">): AsyncGenerator<Row<"listVerdictSalts">, void>;
}
