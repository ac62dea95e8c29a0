/** The kinds of audit entries. */
export type AuditKind =
  | 'ask.raised'
  | 'ask.voted'
  | 'ask.settled'
  /** The answer was recorded, and the server had stopped waiting for it. */
  | 'ask.undelivered'
  | 'ask.expired'
  | 'ask.withdrawn'
  /** A stored ask or grant does not match its signatures and was refused. */
  | 'ask.unverified'
  | 'grant.used'
  | 'call.lost'
  | 'passkey.added'
  | 'passkey.removed'
  /** Another value of `inbox.presence` is in force. */
  | 'presence.changed'
  /** The definition that a tool had when it was first called under a policy. */
  | 'definition.pinned'
  /** A tool has another definition, which is not accepted. */
  | 'definition.changed'
  | 'definition.accepted'
  /** Texts of entries were erased: which ones, and why. See audit/erasure.ts. */
  | 'record.erased'
  | 'note'
