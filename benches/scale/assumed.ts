// What the calculation assumes, with a reason for each value. Nothing here was measured by us.
//
// Prices are rounded list prices of public clouds, without discounts.

export const assumed = {
  people: 100_000_000,
  asksPerDay: 1_000_000_000,
  /** The rate that the machines are bought for, relative to the daily mean. The simulated day has 1.8. */
  peakOverMean: 2,

  /** The share of asks that people answer in the inbox. The others are answered in the client. */
  inboxShare: 0.5,
  /** Half of all answers arrive within `answerMedianSeconds`, one in twenty after seven minutes. */
  answerMedianSeconds: 45,
  answerSigma: 1.4,
  /** The share of waiting calls that a gateway holds open inside servers of the session-based revisions. */
  heldShare: 0.2,
  /** People who have the inbox open at the busiest moment, one browser each. */
  watchingShare: 0.005,
  /** Pages that are opened or reloaded per ask that is answered in the inbox. */
  pagesPerInboxAsk: 0.5,
  /** Asks that are announced by webhook or mail: those of policies with other approvers. */
  announcedShare: 0.05,

  /** Tenants, with sizes by Zipf's law from the tenth rank on: no tenant has a tenth of all asks. */
  tenants: 1_000_000,
  firstRank: 10,

  databaseCores: 32,
  /** The share of its cores that a database may use at the peak. The rest is for vacuum, backups and failures. */
  databaseBusyMost: 0.5,
  /** Durable commits per second of one PostgreSQL server with a synchronous standby and group commit. */
  databaseCommitsPerSecond: 20_000,
  /** Write-ahead log that disk, network and standby can take. */
  databaseLogMbPerSecond: 200,
  /** A larger database is slow to copy, vacuum and restore. */
  databaseTbMost: 8,
  databaseConnections: 2_000,
  /** Connections of one gateway to one database. */
  connectionsPerGateway: 10,

  gatewayCores: 4,
  /** When one of three zones is lost, the others get its callers, who also connect and call again. */
  gatewayBusyMost: 0.5,
  gatewayMemoryGb: 16,
  /** Open files of one gateway: sockets of callers, pages and servers. */
  gatewayFiles: 100_000,
  /** Messages per second that one NATS server delivers; each gateway is connected to one server of a cluster. */
  signalsPerSecond: 500_000,
  signalServerBusyMost: 0.6,

  /** Settings of `retention`: texts and answers; ask rows; leaves of the audit log. */
  answerDays: 30,
  logDays: 365,
  /** The database and its standby. */
  copies: 2,
  coreHourUsd: 0.045,
  diskGbMonthUsd: 0.1,
  objectGbMonthUsd: 0.025,

  /** Until a standby serves in place of a primary that has failed. */
  failoverSeconds: 30,
  /** Callers and people try again within this time after a failure. */
  retryWithinSeconds: 60,
  /** Gateways are distributed over this many zones. */
  zones: 3,
  /** Browsers and sessions of a lost gateway connect again within this time. */
  reconnectWithinSeconds: 30,
} as const
