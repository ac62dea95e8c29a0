// The record of what `assent init` wrote, stored in the user's state folder for undo.
//
// It is written before the files are: after a crash in between, a file is either still the old one, which undo
// recognizes by its digest, or already the new one.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, Remembered } from './edit/change.ts'
import type { Splice } from './edit/splice.ts'
import { readText, textDigest, writeWhole } from './files.ts'
import { type Machine, stateFolder } from './machine.ts'

export interface RecordReader {
  readonly client: string
  /** The repository that was set up; null for the user's configuration. */
  readonly root: string | null
}

export interface RecordedChange {
  readonly file: string
  /** The clients that read the file: a change stays until its last reader is undone. */
  readonly readers: readonly RecordReader[]
  readonly change: Change
  readonly remembered: Remembered
  readonly splices: readonly Splice[]
  /** Digests of the text before (null if there was no file) and after. */
  readonly before: string | null
  readonly after: string
  readonly folders: readonly string[]
  readonly at: string
}

interface Kept {
  readonly version: 1
  readonly written: readonly RecordedChange[]
}

export class InitRecord {
  readonly #folder: string
  readonly file: string

  constructor(machine: Machine) {
    this.#folder = stateFolder(machine)
    this.file = join(this.#folder, 'init.json')
  }

  /** @throws if the record cannot be read: continuing would overwrite it and make undo impossible */
  read(): RecordedChange[] {
    const read = readText(this.file)
    if (read.kind === 'none') return []
    const kept = read.kind === 'text' ? parsed(read.text) : undefined
    if (kept?.version !== 1) {
      throw new Error(
        `${this.file} cannot be read. It records what \`assent init\` wrote, for undo. Nothing was changed. To continue, move the file away; the changes that it records can then not be undone.`,
      )
    }
    return [...kept.written]
  }

  write(written: readonly RecordedChange[]): void {
    if (written.length === 0) {
      rmSync(this.file, { force: true })
      return
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeWhole(this.file, `${JSON.stringify({ version: 1, written } satisfies Kept, null, 2)}\n`, 0o600)
  }

  /** Stores a backup of a text, named by its digest. */
  backUp(text: string): string {
    const folder = join(this.#folder, 'init-backups')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, textDigest(text))
    if (readText(file).kind === 'none') writeWhole(file, text, 0o600)
    return file
  }

  deleteBackup(digest: string): void {
    rmSync(join(this.#folder, 'init-backups', digest), { force: true })
  }
}

function parsed(text: string): Kept | undefined {
  try {
    const kept = JSON.parse(text) as Kept
    return Array.isArray(kept.written) ? kept : undefined
  } catch {
    return undefined
  }
}

export function isSameReader(one: RecordReader, other: RecordReader): boolean {
  return one.client === other.client && one.root === other.root
}
