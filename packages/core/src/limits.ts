// Every size, count and wait that the rules enforce, named with its unit. Refuse the new; never evict the old.

/** Of a form: what one screen can ask of a person, and what a judge can read in a few milliseconds at worst. */
export const formLimits = {
  fields: 64,
  options: 256,
  /** In one object of a schema. The subset knows ten at most; the rest is room for annotations. */
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
  /** No schema or answer is read past this many reported problems. */
  problems: 20,
} as const

/** Of an ask as a whole. */
export const askLimits = {
  messageChars: 8_192,
  /** Calls that one card shows, where the server did not say in which of them it asks. */
  oneOf: 64,
  /** Of a request's id, where it is text. */
  callIdChars: 256,
  urlChars: 2_048,
  commentChars: 2_000,
  /** Of the object that carries an answer: three are ours, the rest is room for what a protocol adds. */
  answerKeys: 16,
  approvers: 64,
  approvals: 16,
  actionBytes: 262_144,
  actionDepth: 64,
  /** Arguments of the call that are kept and shown with an approval: with the question still within `actionBytes`. */
  callBytes: 131_072,
  /** The same with any other question, where the call is not what the person decides about. */
  formCallBytes: 32_768,
  callDepth: 56,
  /** The shortest and longest a person may be given. */
  decideMinMs: 1_000,
  decideMaxMs: 90 * 24 * 60 * 60 * 1_000,
  useWithinMaxMs: 14 * 24 * 60 * 60 * 1_000,
} as const

/** Of a request whose digest is taken: a message of four mebibytes, with room for how canonical numbers are spelled. */
export const requestLimits = {
  bytes: 33_554_432,
  depth: 260,
} as const

/** Of state that leaves us sealed and comes back. */
export const sealLimits = {
  tokenBytes: 262_144,
  ttlMaxMs: 90 * 24 * 60 * 60 * 1_000,
  keys: 8,
} as const

/** Of a secret that a person hands over. */
export const secretLimits = {
  /** A private key in PEM fits several times. */
  secretBytes: 16_384,
  /** Of its encrypted form in base64url, with the room that hides its length. */
  sealedChars: 24_576,
  publicKeyChars: 256,
} as const
