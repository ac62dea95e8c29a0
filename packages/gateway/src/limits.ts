// Every size, count and wait of the gateway, named with its unit. Refuse the new; never evict the old.
//
// These are the defaults. The program sets them from its configuration before anything runs and again on a reload
// (config/apply-limits.ts): one process has one set of limits, read where each is enforced.

export const wireLimits = {
  /** Of one message, either way, before it is parsed. */
  messageBytes: 4_194_304,
  /** Of what goes beyond that: read and let go, so that its sender can hear why, before the connection is cut. */
  passedOverBytes: 4_194_304,
  /** Of one whose names are spelled with escapes: it is read by a slower reader. */
  messageSpelledChars: 1_048_576,
  messageDepth: 256,
  /** Members, items and brackets of one message, in all its objects and lists: what is read in one go. */
  messageParts: 40_000,
  /** Of one message, outside its texts: digits, words and spaces. */
  messageLooseChars: 1_048_576,
  /** Of one line of a server's standard error that is passed on. */
  stderrLineChars: 2_000,
}

/** Of the regular expressions in forms. */
export const patternLimits = {
  /** In one compiled pattern. A counted repeat of up to 250 characters fits. */
  instructions: 520,
  /** Instructions times characters of the longest text: what one check may cost. */
  steps: 260_000,
  /** Compiled patterns that are kept. */
  remembered: 256,
}

/** Of the HTTP connections to one server. */
export const connectionLimits = {
  idle: 256,
  sweepMs: 1_000,
  /**
   * How long after a request its connection may carry another where the server does not say. The shortest patience
   * that servers commonly have by default is 2 s (gunicorn); 5 s is usual.
   */
  keptMs: 1_500,
  /** Where it does say: that long less a margin for the way and for a busy machine, and never longer than this. */
  hintMarginMs: 1_000,
  keptMostMs: 30_000,
  /** After this long without a request, a close that is already here is heard before the next one is written. */
  quietMs: 50,
  /** Of one request, one after the other. */
  redirects: 5,
} as const

export const relayLimits = {
  /** How long a person may take unless configured. */
  askWaitMs: 600_000,
  /** The same in the store, for an asker of ours that can be resumed, where nobody chose a timeout. */
  resumableWaitMs: 24 * 60 * 60 * 1_000,
  /**
   * Questions open at once: of one caller, of one server, of a tenant, and of all. Those in the store are counted there, for
   * all processes; those that only pass through, in the process that they pass through.
   */
  openPerCaller: 100,
  openPerServer: 10_000,
  openPerTenant: 20_000,
  openTotal: 100_000,
  /** Asks that one call may have open at once. */
  asksPerRound: 16,
  /** Of what a server calls its question. */
  askKeyChars: 256,
  roundsPerCall: 64,
  /** Tools whose short names are remembered, and names whose conflicts are remembered as logged. */
  shortNames: 10_000,
  /** What a sealed state may hold beside the server's own. */
  stateTtlExtraMs: 60_000,
  /** Calls held for servers that wait inside them, in this process. */
  parkedCalls: 10_000,
  /** Asks that are looked up in the store when open questions are counted for the figures. */
  recountedAsks: 2_000,
  /** How long a held call is ours without another word, and how often that word is given. */
  leaseMs: 6_000,
  renewEveryMs: 2_000,
  /** How long what has come to its end waits for the store all the same, and how soon a store that was away is asked again. */
  storeGraceMs: 600,
  storeRetryMs: 250,
  /** How long after its sender gave up a step may still arrive at the store, and be found on record. */
  recordSettlesMs: 30_000,
  /** Ends of calls that the store could not take yet, in this process. */
  owedEnds: 10_000,
  /** Questions that clients were asked and whose silence is waited for, in this process. */
  silentWaits: 100_000,
  /**
   * How much later than a question's deadline its 2025 server is answered, should nothing else have answered it. Until then
   * the store's answer counts, however long the database took to raise the ask.
   */
  giveUpLaterMs: 3_000,
  /** How much later than a person's answer the cancellation of its call is sent to the server, so that it arrives later. */
  cancelAfterAnswerMs: 1_000,
  /** How often it is written down, for people to see, that a caller still waits. */
  callerSeenEveryMs: 20_000,
  /** How much later than its deadline a chained gateway may reply to a question that was sent to it: less than that. */
  chainGraceMs: 2_000,
  /** No person reads a question and answers it sooner. */
  unseenAfterMs: 300,
  /** How often a question is put again to a client whose answer does not fit. */
  asksAgain: 2,
  /** Of the reason that a server gets for an answer that does not fit. */
  reasonChars: 1_000,
  /**
   * How long a request waits for the inbox before its caller is told to come back: well under the minute that clients
   * give a request, and long enough that ten such rounds are four minutes.
   */
  holdMs: 25_000,
  /** How often a caller is told to come back before its call is put off; the official client comes ten times. */
  waitsMost: 8,
  /** How long what came of a call that was put off can be fetched, after the person's time is over. */
  deferredExtraMs: 24 * 60 * 60 * 1_000,
  /** How long to wait for whoever goes on with a call, and how often to look. */
  claimedWaitMs: 10_000,
  claimedLookMs: 100,
  /** The same look, when it takes long. */
  claimedLookMostMs: 1_000,
  /** Of the stored outcome of a round; a larger one is returned once and not stored. */
  roundOutcomeChars: 1_048_576,
  /** What was noted of questions that only passed through is written at least this often. */
  auditEveryMs: 40,
  auditBatch: 500,
  /** Where the first answer must come at once, the patterns of screening are compiled this long after the start. */
  warmUpLaterMs: 3_000,
}

export const upstreamLimits = {
  /** To learn which revision a server speaks, and to open a session with it. */
  openMs: 30_000,
  /** How long a session waits for its standing stream before it is used without. */
  streamMs: 500,
  /** How long a process may be silent about its revision before it is also sent what the older ones begin with. */
  probeMs: 2_000,
  /** How long a server that failed, or did not answer, before may delay a list, or the start of a client's session. */
  listDelayMs: 2_000,
  /** Of any answer of a server to something nobody waits for a person in. */
  replyMs: 60_000,
  /** How long a server may say nothing in a call in which it may ask: no result, no question, no progress. */
  silentMs: 60 * 60 * 1_000,
  /**
   * Where each call to a session-based server has a session of its own (`isolation: call`): sessions that one caller may have
   * at once, and calls that may wait for one. Where each is a process of its own there are fewer.
   */
  connections: 64,
  processes: 4,
  waitingCalls: 256,
  /** Processes of all servers that this gateway may run at once. */
  processesTotal: 256,
  /** Programs of one caller without sessions that may use one server at once: each has a session, or a process. */
  agents: 16,
  /** Requests for roots of one session that wait for somebody to ask. */
  earlyRequests: 8,
  /** How long a call that was given up may still ask, so that its questions are not taken for another call's. */
  abandonedMs: 60_000,
  /** How long a session whose call ended without an answer may take to show that the server still knows it. */
  doubtMs: 5_000,
  /** Resources that one session may watch at one server. */
  subscriptions: 256,
  /** What a server may have us wait before its stream is taken up again. */
  retryLeastMs: 50,
  retryMostMs: 30_000,
  /** Idle sessions kept for the next call where each call has its own. */
  idleConnections: 4,
  /** How long an unused process or session of a client without sessions is kept, and how often that is checked. */
  idleMs: 600_000,
  idleLookMs: 15_000,
  /** What may lie ready for a process that does not read. */
  unreadBytes: 16_777_216,
  /** Of a message that is too large: how much more of it is skipped, and how long its rest may be in coming. */
  skippedBytes: 67_108_864,
  skippedMs: 5_000,
  restartFirstMs: 200,
  restartLastMs: 30_000,
}

export const downstreamLimits = {
  sessions: 10_000,
  sessionsPerCaller: 1_000,
  /** Streams on which one caller only listens. */
  streamsPerCaller: 256,
  /** What may lie ready for a client that does not read. */
  unreadBytes: 16_777_216,
  sessionIdleMs: 1_800_000,
  keepAliveMs: 15_000,
  /** How long what was under way for a client that left on a pipe may take to end. */
  leavingMs: 2_000,
  /** How long a question that moves from one call to another may take for it. */
  passedWithinMs: 2_000,
  /** When a stream on which nothing was said yet opens all the same. */
  openWithinMs: 250,
  /** How long a call of a session waits for its client when the connection broke, and how many may wait in this process. */
  comesBackWithinMs: 30_000,
  brokenStreams: 1_000,
  /**
   * When a client of a session is to come back after its stream broke. The official SDKs try twice, so they come back to a
   * gateway that was away for almost twice as long.
   */
  comesBackAfterMs: 6_000,
  /** The same where other gateways are there already. */
  comesBackSoonMs: 500,
  /** When a call whose client is asked is kept in the store, so that another process can go on with it. */
  callKeptAfterMs: 250,
  /** Answers to questions of other processes that one session remembers, should their call go on here; and of each. */
  earlyAnswers: 16,
  earlyAnswerChars: 65_536,
  /** How long a reply is kept after it was written, because what was written is not yet what arrived; and of all such replies. */
  replyKeptMs: 10_000,
  keptReplyChars: 16_777_216,
}

/** Of what gateways that share a store say to each other. */
export const fleetLimits = {
  /** How long a letter is of use, and how many may lie in one box: of all, and of one caller. */
  letters: { keepMs: 120_000, inBox: 10_000, ofOne: 256 },
  /** Its seal outlasts it, whatever the clocks around it say. */
  letterSealMs: 48 * 60 * 60 * 1_000,
  /** What is sealed at once of a long one. */
  letterPartChars: 60_000,
  /** After a failed look, when to look again. */
  retryMs: 1_000,
  /** While another process continues a call for us: how often its row is looked at, and when the letter is sent again. */
  forwardLookMs: 1_000,
  forwardAgainMs: 10_000,
  /**
   * While a client listens here to a call that runs elsewhere: how often that is said there, and how long there is listened for
   * when it is not.
   */
  listenAgainMs: 5_000,
  listensMs: 15_000,
  /** How often another process is told whose questions were answered here, and how many at once. */
  endedEveryMs: 500,
  endedAtOnce: 200,
  /** Of a process that leaves: how long before its time is up it hands over all it can, and how often it looks who is left. */
  lastCallMs: 2_000,
  drainLookMs: 20,
  /** After that: how long what was broken off may take to be told. */
  lastWordsMs: 2_000,
  /** How often at most the end of a session is moved on in the store, and a session that is gone is noticed. */
  sessionExtendMs: 60_000,
  /** What a client may ask for once for its whole session, and how long its first request elsewhere waits until it is granted. */
  wishesPerSession: 1_024,
  wishesWithinMs: 1_000,
} as const

export const programLimits = {
  /** Connections of clients at once. */
  connections: 10_000,
  /** How long a client may take to send one request, so that nobody holds a connection by sending slowly. */
  requestWithinMs: 30_000,
  /** How long a gateway that was told to stop lets what runs come to its end. */
  drainMs: 30_000,
  /** Of that, how long it goes on as before while its readiness page says no: balancers look every few seconds. */
  drainNoticeMs: 5_000,
  configBytes: 1_048_576,
  /** How often what expired is recorded and what can no longer be replayed is forgotten. */
  sweepEveryMs: 60_000,
  /** How often the store is asked whether it is there, and how long it may take to say so. */
  readyLookMs: 1_000,
  readyWithinMs: 2_000,
  /** How long a confirmed write counts before readiness needs another. */
  readyWriteMs: 5_000,
}

/** Of `assent` by itself, on one person's machine. */
export const aloneLimits = {
  /** The inbox opens this long after the start; the client's first requests come before. */
  inboxAfterMs: 250,
  /** How often a process looks whether somebody serves the inbox, and how long that one may take to say so. */
  inboxLookMs: 2_000,
  inboxReplyMs: 1_500,
} as const

export const identityLimits = {
  /** To fetch one document of an issuer, and how large it may be. */
  fetchMs: 5_000,
  /** How long somebody who wants to come in waits for that; it goes on without them. */
  waitMs: 1_000,
  documentBytes: 1_048_576,
  /** Between two attempts to find a key that is not known, or to reach an issuer that is away. */
  lookAgainMs: 10_000,
  /** Between two attempts to read the keys for the first time. */
  firstReadMs: 2_000,
}

/** Of pages where secrets are handed over. */
export const secretPageLimits = {
  /** Pages that may be open: of one server, and in the store. */
  perServer: 100,
  inAll: 10_000,
  /** How long after a person's time what they handed over can be collected, unless it is released before. */
  keepMs: 60 * 60 * 1_000,
  /** How often it is handed to its server: once in each round of a call. */
  collections: 64,
} as const

/** The inbox in a terminal. */
export const terminalInboxLimits = {
  /** Asks in the list, and how many are read at a time; older ones follow as these are answered. */
  asks: 500,
  page: 100,
  /** How long an ask that ended stays in the list, to say who ended it. */
  endedShownMs: 15_000,
  /** How often ages and times left are drawn again. */
  redrawMs: 1_000,
} as const

/** Of the playground, which one person runs on their own machine. */
export const playLimits = {
  tools: 1_000,
  /** Runs that are kept to look at, and that may be under way at once. */
  runsKept: 32,
  runsAtOnce: 8,
  /** What a server says on the way: how often, and how much at a time. */
  steps: 500,
  stepChars: 500,
  resultChars: 262_144,
  /** How long a person may take; whoever tries something out may go for lunch. */
  askWaitMs: 24 * 60 * 60 * 1_000,
  /** How long the server may take to end when the program does. */
  closeMs: 3_000,
} as const

export const inboxLimits = {
  /** Of one request's body: the largest answer a form can take, and some. */
  bodyBytes: 1_048_576,
  bodyDepth: 16,
  /** Of a body that anyone may send: of the routes that sign people in. */
  signInBytes: 4_096,
  /** Of a body that a server sends to open a page for a secret. */
  secretPageBytes: 16_384,
  /** How long a sign-in link may be used, and how many may be unused at once. */
  linkMs: 600_000,
  links: 256,
  /** How long a person may be at the issuer to sign in; what is kept of where they were, and of their name. */
  loginMs: 600_000,
  returnPathChars: 512,
  nameChars: 80,
  /** How long a name is shown without looking it up again, and how many are remembered. */
  nameFreshMs: 60_000,
  names: 10_000,
  /** How long a person stays signed in, and how many browsers may be: in all, and of one person. */
  sessionMs: 3 * 24 * 60 * 60 * 1_000,
  /** How often a browser gets another nonce to sign, how long each is accepted, and for how many requests. */
  nonceEveryMs: 15_000,
  nonceMs: 60_000,
  requestsPerNonce: 100_000,
  /** Public keys of browsers that are kept ready. */
  browserKeys: 1_000,
  /** The same by account: the issuer may have taken its word back meanwhile. */
  accountSessionMs: 12 * 60 * 60 * 1_000,
  sessions: 100_000,
  sessionsPerPerson: 100,
  /** Pages that follow changes: in this process, and of one person. */
  streams: 10_000,
  streamsPerPerson: 24,
  /** Changes that a page may have missed and still be told one by one; beyond, it is told to load anew. */
  missedChanges: 1_000,
  changesPage: 500,
  keepAliveMs: 15_000,
  /** How long a failed reading of changes waits before the next. */
  retryMs: 1_000,
  /** Entries of a record that are checked for a proof, and how long one check serves. */
  chainEntries: 200_000,
  chainFreshMs: 30_000,
  /** Asks that figures are made of, and the days they may reach back. */
  figures: 10_000,
  figuresDays: 365,
} as const

export const initLimits = {
  /** Of a configuration of another program; one of them keeps its history in it. */
  fileBytes: 67_108_864,
  /** Lines shown around a change. */
  contextLines: 3,
} as const

export const doctorLimits = {
  /** How long a server may take to start and to answer; the first time, npx fetches it. */
  answerMs: 90_000,
  /** How long the last words of a server that ended are waited for. */
  lastWordsMs: 300,
  /** How long whoever listens at the port of the inbox may take to say who it is. */
  portMs: 2_000,
  pageChars: 65_536,
} as const
