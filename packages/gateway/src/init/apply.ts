// Carries out a plan: keeps what was, records what will be, writes.

import { statSync } from 'node:fs'
import { digestOf, writeWhole } from './files.ts'
import type { Machine } from './machine.ts'
import { isAsPlanned, type Planned } from './plan.ts'
import { type InitRecord, isSameReader, type Reader, type Written } from './record.ts'
import { targetOf } from './scope.ts'

export type Applied =
  | { readonly kind: 'written'; readonly file: string; readonly backup: string | undefined }
  | { readonly kind: 'failed'; readonly file: string; readonly because: string }

export interface Applying {
  readonly record: InitRecord
  /** The repository that it is done for; null for the user's own configuration. */
  readonly root: string | null
  readonly machine: Machine
  readonly now: Date
}

export function apply(plan: readonly Planned[], applying: Applying): Applied[] {
  for (const one of plan) if (one.kind === 'there') alsoFor(one, applying.record, applying.root)
  return plan.filter((one) => one.kind === 'write').map((one) => applyOne(one, applying))
}

/** What an earlier run wrote serves these clients too, so it stays as long as they do. */
function alsoFor({ file, clients }: Planned, record: InitRecord, root: string | null): void {
  const kept = record.read()
  const ours = kept.find((one) => one.file === file)
  if (ours === undefined) return
  const added = readersOf(clients, root).filter((one) => !ours.readers.some((other) => isSameReader(one, other)))
  if (added.length === 0) return
  record.write(kept.map((one) => (one === ours ? { ...ours, readers: [...ours.readers, ...added] } : one)))
}

function readersOf(clients: Planned['clients'], root: string | null): Reader[] {
  return clients.map(({ id }) => ({ client: id, root }))
}

function applyOne(planned: Planned & { kind: 'write' }, { record, root, machine, now }: Applying): Applied {
  const { file, change, clients, write } = planned
  const target = targetOf(file, root, machine)
  if (!target.ok) return { kind: 'failed', file, because: target.because }
  if (target.path !== planned.target || !isAsPlanned(planned, write)) {
    return { kind: 'failed', file, because: 'it changed while you were asked; run init again' }
  }
  const others = record.read().filter((one) => one.file !== file)
  const written: Written = {
    file,
    readers: readersOf(clients, root),
    change,
    remembered: write.remembered,
    splices: write.splices,
    before: write.before === undefined ? null : digestOf(write.before),
    after: digestOf(write.after),
    folders: [],
    at: now.toISOString(),
  }
  try {
    const backup = write.before === undefined ? undefined : record.backUp(write.before)
    record.write([...others, written])
    const folders = writeWhole(file, write.after, modeFor(file))
    if (folders.length > 0) record.write([...others, { ...written, folders }])
    return { kind: 'written', file, backup }
  } catch (error) {
    record.write(others)
    return { kind: 'failed', file, because: error instanceof Error ? error.message : String(error) }
  }
}

/** A new file gets the rights that files get here, but for one in a private folder. */
function modeFor(file: string): number {
  const folder = statSync(file.replace(/[/\\][^/\\]*$/, ''), { throwIfNoEntry: false })
  return folder !== undefined && (folder.mode & 0o077) === 0 ? 0o600 : 0o666
}
