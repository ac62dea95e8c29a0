// The sizes, counts and timeouts of `assent` without a configuration, on one person's machine, and of its inbox there.

export const standaloneLimits = {
  /** Delay before the inbox opens, so that the client's first requests are served first. */
  inboxAfterMs: 250,
  /** How often a process checks whether another one serves the inbox, and the timeout of that check. */
  inboxLookMs: 2_000,
  inboxReplyMs: 1_500,
  /** How long a started program is watched for a failure, and a page that was opened for a sign-in. */
  launchMs: 3_000,
  signInMs: 20_000,
  /** How long the inbox may take to start in a process of its own, and how long that runs without an open page. */
  backgroundStartMs: 15_000,
  lookAgainMs: 200,
  backgroundIdleMs: 30 * 60_000,
  backgroundCheckMs: 10_000,
  /** Minimum interval between two tabs that open for a waiting question. */
  openEveryMs: 10 * 60_000,
  /** Delay of a notification, so that a question that ends at once shows none, and their minimum interval. */
  notifyAfterMs: 1_000,
  notifyEveryMs: 10_000,
  /** Questions that one notification counts. */
  notificationAsks: 100,
  /** After as many failures in a row, no more notifications are tried. */
  notificationFailures: 3,
  /** How often a process that serves the inbox checks for changed passkeys, to notify the person. */
  passkeyLookMs: 5_000,
  /** How long the program that shows a notification may run. */
  notificationMs: 20_000,
} as const
