// The log of the gateway, why it does not start or is not ready, and what it prints at a terminal.

/** Messages of the log. Each field is named in the log line, so the message is constant. */
export const gatewayLog = {
  configurationRead: 'Configuration read.',
  stopped: 'Stopped.',
  polling:
    'The store is reached through a connection pooler, where LISTEN does not work: changes by other gateways are found by polling. Set wake to the address of the database itself, or to NATS.',
  storeOpen: 'The store is open.',
  longTransaction:
    'A transaction of the database that has written has been open for more than ten seconds. Until it ends, its entries are missing in the audit log, and finding new entries takes longer. Find it in pg_stat_activity (backend_xid) or pg_prepared_xacts.',
  serverLine: 'The server printed a line.',
  ready: 'Ready.',
  notReady: (reason: string) => `Not ready: ${reason}`,
  waitingForLease: 'Another gateway that this one cannot run with holds a lease. Waiting for it to end.',
  listening: 'Listening.',
  draining: 'Shutting down: readiness off, draining.',
  issuerKeysRead: 'The keys of the issuer were read.',
  issuerKeysUnreadable: 'Not ready: the keys of the issuer cannot be read.',
  needRestart: 'These settings take effect after a restart.',
  reloaded: 'The new configuration is in force.',
  reloadRefused: 'The new configuration is refused; the previous one stays in force.',
  inboxPortTaken:
    'Another program uses the port of the inbox, so the inbox is not served. Stop that program, or set another port in listen.',
  inboxElsewhere: 'Another process on the same store serves the inbox.',
}

/** On the readiness page, which is public. `status` is for programs and does not change. */
export const readinessText = {
  unreachable: { status: 'store unreachable', reason: 'The store cannot be reached.' },
  readOnly: { status: 'store not writable', reason: 'The store is read-only.' },
  refuses: { status: 'store not writable', reason: 'The store refuses writes.' },
  hangs: { status: 'store not writable', reason: 'The store does not confirm writes in time.' },
  noKeys: { status: 'issuer keys not read', reason: 'The keys of the issuer have not been read yet.' },
  draining: { status: 'draining', reason: 'This gateway is shutting down.' },
} as const

/** Why the gateway does not start, or a reload is refused. */
export const startText = {
  stdioWithIdentity:
    'With --stdio only the user who started the client is asked, so an inbox with sign-in by identity would show nothing. Remove identity from this configuration.',
  taken: (place: string) => `${place} is taken by another program. Stop it, or set another port in listen.`,
  notOurAddress: (place: string) => `${place} is not an address of this machine. Set listen to one.`,
  notAllowed: (place: string) => `This user may not listen on ${place}. Use a port above 1023.`,
  unknownHost: (place: string) => `${place} is not a known host. Set listen to an address of this machine.`,
  cannotListen: (place: string) => `The gateway cannot listen on ${place}.`,
  invalidKey: (path: string, problem: string) =>
    `The key in ${path} ${problem}. Restore the file from a backup. If you remove it, a new key is created, and open questions and approvals become invalid.`,
  presenceWithoutInbox:
    'Decisions that need a passkey need the inbox. Add inbox to asks.surfaces and to the surfaces of every server.',
  noIssuerKey: 'The issuer has published no key, so no token can be verified. Check identity.issuer.',
  identityRemoved: (host: string) =>
    `identity was removed, but this gateway still listens on ${host}, so requests would not be authenticated. Restart it instead.`,
  shuttingDown: 'The gateway is shutting down.',
}

/** Printed at a terminal. */
export const gatewayTerminalText = {
  running: (url: string) => `Assent is at ${url}. Ctrl+C stops it.`,
  answerAt: (link: string) => `Answer questions at ${link} (the link works once).`,
}

/** Over HTTP, to requests from another machine. */
export const metricsText = {
  onlyHere: 'Metrics are available only from this machine. Set metrics.listen to serve them elsewhere.\n',
}

/** Names on asks. */
export const namingText = {
  you: 'You',
  yourAgent: 'Your agent',
  fromConfiguration: 'from your configuration',
  fromCommandLine: 'from your command line',
}
