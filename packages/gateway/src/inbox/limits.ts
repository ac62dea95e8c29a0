// The sizes, counts and timeouts of the inbox, named with their unit.

export const inboxLimits = {
  /** After as long without a report, a window with an agent is gone. */
  windowGoneMs: 8_000,
  /** Bytes of a request body: the largest answer that a form can take, with a margin. */
  bodyBytes: 1_048_576,
  bodyDepth: 16,
  /** Bytes of a body on the sign-in routes, which need no authentication. */
  signInBytes: 4_096,
  /** Bytes of a body with which a server opens a page for a secret. */
  secretPageBytes: 16_384,
  /** Validity of a sign-in link, and how many unused ones may exist. */
  linkMs: 600_000,
  links: 256,
  /** Signed-in tabs that a page without a session may open, within this time. */
  openedTabs: 5,
  openedTabsMs: 600_000,
  /** How long a sign-in at the issuer may take; characters kept of the return path, and of the person's name. */
  loginMs: 600_000,
  returnPathChars: 512,
  nameChars: 80,
  /** How long a name is cached, and how many are. */
  nameFreshMs: 60_000,
  names: 10_000,
  /** Session length after sign-in by link. */
  sessionMs: 3 * 24 * 60 * 60 * 1_000,
  /** How often a browser gets a new nonce to sign, how long each is accepted, and for how many requests. */
  nonceEveryMs: 15_000,
  nonceMs: 60_000,
  requestsPerNonce: 100_000,
  /** Cached public keys of browsers. */
  browserKeys: 1_000,
  /** Session length after sign-in by account: shorter, because the issuer may have disabled the account since. */
  accountSessionMs: 12 * 60 * 60 * 1_000,
  /** How long a session that was read counts as valid without another read, and how many are kept. */
  sessionFreshMs: 5_000,
  freshSessions: 10_000,
  /** How long a challenge for a passkey is valid. */
  challengeMs: 120_000,
  /** With accounts: how long after signing in a person may add their first passkey. */
  freshSignInMs: 300_000,
  /** A vote counts for a group only if the issuer confirmed the group at most this long ago. */
  groupsFreshMs: 900_000,
  /** How long a change of passkeys, or a weaker setting for them, is shown. */
  noticeMs: 7 * 24 * 60 * 60 * 1_000,
  sessions: 100_000,
  sessionsPerPerson: 100,
  /** Pages subscribed to changes: in this process, and per person. */
  streams: 20_000,
  streamsPerPerson: 24,
  changesPage: 500,
  /** Sessions of open pages that are read at a time, and after how many failed checks in a row the pages are disconnected. */
  sessionsChecked: 1_000,
  failedSessionChecks: 4,
  /** Open asks that were listed a moment ago: an answer to one of them needs no read of the ask. */
  listedAsks: 500,
  listedMs: 60_000,
  keepAliveMs: 15_000,
  /** Delay after a failed read of changes. */
  retryMs: 1_000,
  /** Entries of a log that are verified for a proof, and how long the result is cached. */
  chainEntries: 200_000,
  chainFreshMs: 30_000,
  /** Asks that statistics are computed from, and the days that they may cover. */
  statisticsAsks: 10_000,
  statisticsDays: 365,
} as const

/** The inbox in a terminal. */
export const terminalInboxLimits = {
  /** Asks in the list, and how many are loaded at a time; older ones follow as these are answered. */
  asks: 500,
  page: 100,
  /** Asks that `assent asks list` reads at most if it reads every page. */
  asksListed: 10_000,
  /** How long an ended ask stays in the list, to show who ended it. */
  endedShownMs: 15_000,
  /** How often ages and remaining times are redrawn. */
  redrawMs: 1_000,
} as const

/** The playground, which one person runs on their own machine. */
export const playLimits = {
  tools: 1_000,
  /** Runs that are kept for viewing, and concurrent runs. */
  runsKept: 32,
  runsAtOnce: 8,
  /** Notifications recorded per run, and characters of each. */
  steps: 500,
  stepChars: 500,
  resultChars: 262_144,
  /** Time to answer. Long, because a person who tries something out may take a break. */
  askWaitMs: 24 * 60 * 60 * 1_000,
  /** A run is stopped when no page has been open for this long. A page that reloads is back within a second. */
  abandonedAfterMs: 10_000,
  abandonedCheckMs: 1_000,
  /** Before a question that the person left open is shown again in a terminal. */
  shownAgainMs: 200,
  /** How long the server may take to exit when the program does. */
  closeMs: 3_000,
} as const

/** Pages on which people enter secrets. */
export const secretPageLimits = {
  /** Open pages: per server, and in the store. */
  perServer: 100,
  inAll: 10_000,
  /** How long after the deadline an entered secret can be collected, unless it is released before. */
  keepMs: 60 * 60 * 1_000,
  /** How often its server can collect it: once in each round of a call. */
  collections: 64,
} as const
