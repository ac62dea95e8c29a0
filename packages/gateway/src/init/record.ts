// What `assent init` wrote, kept in the user's state folder so that it can be taken back.
//
// It is written before the files are: after a crash in between, a file is either still the old one, which undo
// recognises by its digest, or already the new one.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, Remembered } from './edit/change.ts'
import type { Splice } from './edit/splice.ts'
import { digestOf, readText, writeWhole } from './files.ts'
import { type Machine, stateFolder } from './machine.ts'

export interface Reader {
  readonly client: string
  /** The repository it was set up for; null for the user's own configuration. */
  readonly root: string | null
}

export interface Written {
  readonly file: string
  /** For whom: a file that several read stays until the last of them is undone. */
  readonly readers: readonly Reader[]
  readonly change: Change
  readonly remembered: Remembered
  readonly splices: readonly Splice[]
  /** Of the text before, null where there was no file; and of the text after. */
  readonly before: string | null
  readonly after: string
  readonly folders: readonly string[]
  readonly at: string
}

interface Kept {
  readonly version: 1
  readonly written: readonly Written[]
}

export class InitRecord {
  readonly #folder: string
  readonly file: string

  constructor(machine: Machine) {
    this.#folder = stateFolder(machine)
    this.file = join(this.#folder, 'init.json')
  }

  /** @throws when there is a record that cannot be read: going on would forget what it says */
  read(): Written[] {
    const read = readText(this.file)
    if (read.kind === 'none') return []
    const kept = read.kind === 'text' ? parsed(read.text) : undefined
    if (kept?.version !== 1) {
      throw new Error(
        `The record of what was written, ${this.file}, cannot be read. Nothing was changed. Move it away to go on without it; what is in it can then not be taken back.`,
      )
    }
    return [...kept.written]
  }

  write(written: readonly Written[]): void {
    if (written.length === 0) {
      rmSync(this.file, { force: true })
      return
    }
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeWhole(this.file, `${JSON.stringify({ version: 1, written } satisfies Kept, null, 2)}\n`, 0o600)
  }

  /** Keeps a text as it was, by its digest. */
  backUp(text: string): string {
    const folder = join(this.#folder, 'init-backups')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, digestOf(text))
    if (readText(file).kind === 'none') writeWhole(file, text, 0o600)
    return file
  }

  forgetBackup(digest: string): void {
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

export function isSameReader(one: Reader, other: Reader): boolean {
  return one.client === other.client && one.root === other.root
}
