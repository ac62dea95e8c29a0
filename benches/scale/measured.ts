// Costs that other benches measured, in full runs on two cores. The rest is measured in the same run (cost.ts, log-cost.ts).

export const measured = {
  /** Processor time per ask: `npm run bench -- cluster`. */
  inboxAsk: { gatewayMs: 5, databaseMs: 2.5 },
  clientAsk: { gatewayMs: 1.4, databaseMs: 0.05 },
  /** Entries of the audit log, commits and signals per ask in the inbox; of the client's only its two notes, written in groups. */
  inboxAskEntries: 3,
  inboxAskCommits: 5,
  inboxAskSignals: 2,
  clientAskEntries: 2,
  clientAskCommits: 0.1,
  /** Memory of a waiting call without a socket, and of one that waits inside a session-based server: `npm run bench -- relay`. */
  openCallBytes: 4_800,
  heldCallBytes: 23_000,
  /** An inbox page that is open: the limit of `npm run bench -- streams`, whose full form has not run yet. */
  streamBytes: 20_000,
  /** Sending one change to an open page. */
  streamMessageMs: 0.05,
  /** Sockets per call that waits inside a session-based server: its caller's and the server's. */
  heldCallFiles: 2,
  /** Processor time of loading the inbox: two requests and two statements. */
  page: { gatewayMs: 2, databaseMs: 0.4 },
  /** Sending a webhook or a mail: the outbox costs three statements. */
  announcement: { gatewayMs: 1, databaseMs: 0.6 },
  /** Reading one audit entry in a poll, which every gateway does. */
  polledEntryMs: 0.002,
  /** A renewal of a lease, a poll without new entries, and a search for logs with new entries. */
  smallStatementMs: 0.1,
  /** Intervals of these, in seconds: `limits.ts` of the gateway and of the store. */
  leaseSeconds: 2,
  pollSeconds: 2,
  sequencerSeconds: 1,
  /** A row of the audit log without its text, with its index entries and its hash in a tile. */
  leafBytes: 420,
} as const
