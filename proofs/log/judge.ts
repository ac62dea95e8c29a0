// Compares the log with what the store confirmed, and every checkpoint with the log.

import { appendLeaves, emptyEdge, rootOf } from '@assent/core'

export interface LoggedEntry {
  readonly place: number
  /** Of the leaf: hexadecimal. */
  readonly hash: string
  readonly entryId: number
  /** Null if there is no such entry. */
  readonly subject: string | null
  readonly counter: number
}

export interface LogEvidence {
  /** In the order of their places. */
  readonly entries: readonly LoggedEntry[]
  /** The number of entries in the table. */
  readonly stored: number
  /** Every checkpoint that was stored, in that order. */
  readonly checkpoints: readonly string[]
  /** The number of entries that the store confirmed, by subject. */
  readonly confirmed: ReadonlyMap<string, number>
}

const shownAtMost = 5

export function judgeLog(evidence: LogEvidence): string[] {
  const found = [
    ...places(evidence.entries),
    ...stored(evidence),
    ...counters(evidence.entries),
    ...confirmations(evidence),
    ...checkpointFaults(evidence),
  ]
  return found
}

function places(entries: readonly LoggedEntry[]): string[] {
  const ids = new Set(entries.map(({ entryId }) => entryId))
  const gap = entries.findIndex(({ place }, at) => place !== at)
  return [
    ...(gap === -1 ? [] : [`place ${gap} of the log is ${entries[gap]?.place}`]),
    ...(ids.size === entries.length ? [] : [`${entries.length - ids.size} entries have two places`]),
  ]
}

function stored({ entries, stored: count }: LogEvidence): string[] {
  const absent = entries.filter(({ subject }) => subject === null)
  return [
    ...(count === entries.length ? [] : [`${count} entries are stored, and ${entries.length} are in the log`]),
    ...(absent.length === 0 ? [] : [`${absent.length} places have no entry`]),
  ]
}

/** Of each subject: 1, 2, 3 … in the order of the log. */
function counters(entries: readonly LoggedEntry[]): string[] {
  const last = new Map<string, number>()
  const faults: string[] = []
  for (const { subject, counter, place } of entries) {
    if (subject === null || counter === 0) continue
    const before = last.get(subject) ?? 0
    if (counter !== before + 1) faults.push(`place ${place}: entry ${counter} about ${subject} follows entry ${before}`)
    last.set(subject, counter)
  }
  return faults.slice(0, shownAtMost)
}

function confirmations({ entries, confirmed }: LogEvidence): string[] {
  const logged = new Map<string, number>()
  for (const { subject } of entries) if (subject !== null) logged.set(subject, (logged.get(subject) ?? 0) + 1)
  const lost = [...confirmed].filter(([subject, count]) => (logged.get(subject) ?? 0) < count)
  return lost
    .slice(0, shownAtMost)
    .map(
      ([subject, count]) => `${count} entries about ${subject} were confirmed, ${logged.get(subject) ?? 0} are logged`,
    )
}

/** Every checkpoint is the root of the first entries of the log, and none is smaller than the one before. */
function checkpointFaults({ entries, checkpoints }: LogEvidence): string[] {
  const faults: string[] = []
  const parsed = checkpoints.map((note) => {
    const [, size = '', root = ''] = note.split('\n')
    return { size: Number(size), root }
  })
  for (const [at, { size }] of parsed.entries()) {
    const before = parsed[at - 1]?.size ?? 0
    if (size < before) faults.push(`a checkpoint of ${size} entries follows one of ${before}`)
  }
  let edge = emptyEdge
  for (const { size, root } of parsed.toSorted((a, b) => a.size - b.size)) {
    const added = entries.slice(edge.size, size).map(({ hash }) => Buffer.from(hash, 'hex'))
    edge = appendLeaves(edge, added).edge
    const expected = Buffer.from(rootOf(edge)).toString('base64')
    if (edge.size !== size) faults.push(`a checkpoint has ${size} entries, the log has ${edge.size}`)
    else if (root !== expected) faults.push(`the checkpoint of ${size} entries does not have the root of the log`)
  }
  if (parsed.at(-1)?.size !== entries.length) faults.push(`the last checkpoint does not cover the log`)
  return faults.slice(0, shownAtMost)
}

/** False evidence, one piece at a time, to check that the judge finds it. */
export const plantedEvidence: readonly (readonly [what: string, plant: (evidence: LogEvidence) => LogEvidence])[] = [
  ['an entry that is not in the log', (evidence) => ({ ...evidence, stored: evidence.stored + 1 })],
  [
    'a place that is missing',
    (evidence) => ({
      ...evidence,
      entries: evidence.entries.toSpliced(middle(evidence), 1),
      stored: evidence.stored - 1,
    }),
  ],
  [
    'an entry at two places',
    (evidence) => ({
      ...evidence,
      entries: evidence.entries.with(middle(evidence), {
        ...at(evidence, middle(evidence)),
        entryId: at(evidence, 0).entryId,
      }),
    }),
  ],
  [
    'a place without an entry',
    (evidence) => ({
      ...evidence,
      entries: evidence.entries.with(middle(evidence), { ...at(evidence, middle(evidence)), subject: null }),
    }),
  ],
  ['two entries of one ask in the wrong order', swappedCounters],
  [
    'a confirmed entry that is not in the log',
    (evidence) => ({ ...evidence, confirmed: new Map(evidence.confirmed).set('ask_lost', 1) }),
  ],
  [
    'a changed entry below a checkpoint',
    (evidence) => ({
      ...evidence,
      entries: evidence.entries.with(0, { ...at(evidence, 0), hash: at(evidence, 1).hash }),
    }),
  ],
  [
    'a checkpoint that is not of this log',
    (evidence) => ({
      ...evidence,
      checkpoints: evidence.checkpoints.with(0, withRoot(evidence.checkpoints[0] ?? '')),
    }),
  ],
  [
    'a checkpoint that is set back',
    (evidence) => ({ ...evidence, checkpoints: [...evidence.checkpoints, evidence.checkpoints[0] ?? ''] }),
  ],
]

function middle({ entries }: LogEvidence): number {
  return Math.floor(entries.length / 2)
}

function at({ entries }: LogEvidence, index: number): LoggedEntry {
  const entry = entries[index]
  if (entry === undefined) throw new Error('The log is too short.')
  return entry
}

function swappedCounters(evidence: LogEvidence): LogEvidence {
  const { entries } = evidence
  const second = entries.findIndex(({ counter }) => counter === 2)
  const first = entries.findIndex(({ subject, counter }) => counter === 1 && subject === entries[second]?.subject)
  const [one, two] = [at(evidence, first), at(evidence, second)]
  return { ...evidence, entries: entries.with(first, { ...one, counter: 2 }).with(second, { ...two, counter: 1 }) }
}

function withRoot(note: string): string {
  return note.split('\n').with(2, Buffer.alloc(32, 1).toString('base64')).join('\n')
}
