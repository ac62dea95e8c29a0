// Timeouts, sizes and counts of messages to approvers.

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

export const notifyLimits = {
  /** How often due messages are looked up. */
  pollMs: secondMs,
  /** The same after an error of the store. */
  pollAfterErrorMs: 10 * secondMs,
  /** Messages that one process sends at once. */
  atOnce: 32,
  /** How long a process may take for all recipients of a message. Longer than `startWithinMs` and one attempt together. */
  leaseMs: minuteMs,
  /** After this time, recipients that had no attempt yet wait for the next one. */
  startWithinMs: 30 * secondMs,
  /** Of one request to a webhook, the connection included. */
  webhookMs: 15 * secondMs,
  /** Of each phase of one mail: connecting, the greeting, and a silent mail server. */
  mailMs: 10 * secondMs,
  /** Of one mail in total. */
  mailTotalMs: 25 * secondMs,
  /** How long a shutdown waits for messages that are being sent. */
  closeMs: 5 * secondMs,
  /** Pauses after the first, second … failed attempt. After the last one, the message is abandoned. */
  retryMs: [
    5 * secondMs,
    30 * secondMs,
    2 * minuteMs,
    10 * minuteMs,
    30 * minuteMs,
    hourMs,
    2 * hourMs,
    4 * hourMs,
  ] as readonly number[],
  /** The longest pause that a receiver can request with `Retry-After`. */
  retryAfterMostMs: hourMs,
  /** Characters of the reason of a failure in the log. */
  reasonChars: 200,
} as const
