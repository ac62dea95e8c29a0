// Applies a plan: backs up each file, records the change, then writes the file.

import { statSync } from 'node:fs'
import type { InitClient } from './clients.ts'
import { textDigest, writeWhole } from './files.ts'
import type { Machine } from './machine.ts'
import { isAsPlanned, type Planned } from './plan.ts'
import { type InitRecord, isSameReader, type RecordedChange, type RecordReader } from './record.ts'
import { targetOf } from './scope.ts'
import { applyText } from './text/files.ts'

export type Applied =
  | { readonly kind: 'written'; readonly planned: Planned; readonly backup: string | undefined }
  | { readonly kind: 'failed'; readonly planned: Planned; readonly because: string }

export interface Applying {
  readonly record: InitRecord
  /** The repository that is set up; null for the user's configuration. */
  readonly root: string | null
  readonly machine: Machine
  readonly now: Date
}

/** The servers come first: a client whose server could not be written gets no rules either. */
export function apply(plan: readonly Planned[], applying: Applying): Applied[] {
  for (const one of plan) if (one.kind === 'there') addReaders(one, applying.record, applying.root)
  const failed = new Set<InitClient>()
  return plan
    .filter((one) => one.kind === 'write')
    .toSorted((one, other) => Number(other.purpose === 'server') - Number(one.purpose === 'server'))
    .flatMap((one) => {
      const clients = one.clients.filter((client) => !failed.has(client))
      if (clients.length === 0) return []
      const applied = applyOne({ ...one, clients }, applying)
      if (applied.kind === 'failed' && one.purpose === 'server') for (const client of clients) failed.add(client)
      return [applied]
    })
}

/** Adds these clients as readers of an existing change, so that undo keeps it until the last reader is undone. */
function addReaders({ file, clients }: Planned, record: InitRecord, root: string | null): void {
  const kept = record.read()
  const ours = kept.find((one) => one.file === file)
  if (ours === undefined) return
  const added = readersOf(clients, root).filter((one) => !ours.readers.some((other) => isSameReader(one, other)))
  if (added.length === 0) return
  record.write(kept.map((one) => (one === ours ? { ...ours, readers: [...ours.readers, ...added] } : one)))
}

function readersOf(clients: Planned['clients'], root: string | null): RecordReader[] {
  return clients.map(({ id }) => ({ client: id, root }))
}

function applyOne(planned: Planned & { kind: 'write' }, { record, root, machine, now }: Applying): Applied {
  const { file, change, clients, write } = planned
  const target = targetOf(file, root, machine)
  if (!target.ok) return { kind: 'failed', planned, because: target.because }
  if (target.path !== planned.target || !isAsPlanned(planned, write)) {
    return { kind: 'failed', planned, because: applyText.changedMeanwhile }
  }
  const others = record.read().filter((one) => one.file !== file)
  const written: RecordedChange = {
    file,
    readers: readersOf(clients, root),
    change,
    remembered: write.remembered,
    splices: write.splices,
    before: write.before === undefined ? null : textDigest(write.before),
    after: textDigest(write.after),
    folders: [],
    at: now.toISOString(),
  }
  try {
    const backup = write.before === undefined ? undefined : record.backUp(write.before)
    record.write([...others, written])
    const folders = writeWhole(file, write.after, modeFor(file))
    if (folders.length > 0) record.write([...others, { ...written, folders }])
    return { kind: 'written', planned, backup }
  } catch (error) {
    record.write(others)
    return { kind: 'failed', planned, because: error instanceof Error ? error.message : String(error) }
  }
}

/** The mode of a new file: private in a private folder, else the default. */
function modeFor(file: string): number {
  const folder = statSync(file.replace(/[/\\][^/\\]*$/, ''), { throwIfNoEntry: false })
  return folder !== undefined && (folder.mode & 0o077) === 0 ? 0o600 : 0o666
}
