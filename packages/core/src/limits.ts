// Every size, count and duration that core enforces, named with its unit. At a limit the new item is refused.

/** Of a form: what fits on one screen, and what can be validated in a few milliseconds at worst. */
export const formLimits = {
  fields: 64,
  options: 256,
  /** In one object of a schema. The supported subset uses ten at most; the rest is for annotations. */
  keywords: 32,
  nameChars: 128,
  titleChars: 256,
  descriptionChars: 2_048,
  optionChars: 256,
  /** Of a regular expression. */
  patternChars: 1_024,
  /** Entries in a list of texts. */
  listItems: 256,
  /** All text in one schema together, in UTF-16 units. */
  schemaChars: 65_536,
  /** The most text an answer to one field can hold, in Unicode code points; a field cannot ask for more. */
  answerChars: 16_384,
  /** Reading a schema or an answer stops after this many problems. */
  problems: 20,
} as const

/** Of an ask as a whole. */
export const askLimits = {
  messageChars: 8_192,
  /** The name of a client, a folder or a branch. */
  callerChars: 100,
  /** Calls that one card shows when it is unknown in which of them the server asks. */
  oneOf: 64,
  /** Of a request's id, where it is text. */
  callIdChars: 256,
  /** How long a yes to something destructive can be undone before it is sent, unless configured. */
  undoMs: 5_000,
  /** With less time left to answer, a yes is sent at once. */
  undoNeedsMs: 15_000,
  urlChars: 2_048,
  commentChars: 2_000,
  /** Members of an answer object: three are ours, the rest is for what a protocol adds. */
  answerKeys: 16,
  approvers: 64,
  approvals: 16,
  /** Combinations of the alternatives of several approval requirements. */
  approvalChoices: 256,
  actionBytes: 262_144,
  actionDepth: 64,
  /** Arguments of the call that are stored and shown with an approval; with the question they fit in `actionBytes`. */
  callBytes: 131_072,
  /** The same for other questions, where the person does not decide about the call. */
  formCallBytes: 32_768,
  callDepth: 56,
  /** The shortest and longest time to decide. */
  decideMinMs: 1_000,
  decideMaxMs: 90 * 24 * 60 * 60 * 1_000,
  useWithinMaxMs: 14 * 24 * 60 * 60 * 1_000,
} as const

/** Of passkeys, and of what browsers return about them. */
export const presenceLimits = {
  /** Of one value in base64url: client data, authenticator data, a public key, a signature. */
  encodedChars: 16_384,
  clientDataDepth: 8,
  /** Keys of one person, and characters of the name that a person gives one. */
  passkeys: 16,
  nameChars: 80,
} as const

/** Of a request whose digest is taken: a message of 4 MiB, with room because canonical numbers can be longer. */
export const requestLimits = {
  bytes: 33_554_432,
  depth: 260,
} as const

/** Of sealed state. */
export const sealLimits = {
  tokenBytes: 262_144,
  ttlMaxMs: 90 * 24 * 60 * 60 * 1_000,
  keys: 8,
  /** How many tokens a process seals with one salt, and therefore with one key. */
  tokensPerSalt: 65_536,
  /** How many derived keys a process keeps, per key of the ring. */
  tokenKeys: 64,
} as const

/** Of a secret that a person enters. */
export const secretLimits = {
  /** A private key in PEM fits several times. */
  secretBytes: 16_384,
  /** Of its encrypted form in base64url, including the padding that hides its length. */
  sealedChars: 24_576,
  publicKeyChars: 256,
} as const

/** Of `retention`. */
export const retentionLimits = {
  /** An answer that is younger is never erased, except on request. */
  answersMinMs: 24 * 60 * 60 * 1_000,
  mostMs: 36_500 * 24 * 60 * 60 * 1_000,
  /** Beyond the time in which the caller of an ask can still fetch and use its answer. */
  inUseMs: 2 * 24 * 60 * 60 * 1_000,
} as const

/** Of the transparency log. */
export const logLimits = {
  /** Of one entry in a bundle, whose length is a uint16 (tlog-tiles). */
  entryBytes: 65_535,
  /** Of a leaf of ours. */
  leafBytes: 512,
  /** Random, and stored beside the body, never in the leaf. */
  saltBytes: 16,
  /** Of a signed note. 16 signatures of 5 kB, which verifiers have to accept, fit. */
  noteBytes: 131_072,
  noteSignatures: 64,
  keyNameChars: 256,
  /** Hashes in a proof: more would need a tree of more than 2^63 leaves. */
  proofHashes: 63,
  /** Of the unauthenticated data in a proof file. */
  proofExtraBytes: 65_536,
} as const
