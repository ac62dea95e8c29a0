// The journal of the servers: one line per event, appended by every server process of a run.
//
// A file, because a stdio server is the child of a client or of the gateway and cannot reach the grid in another way.
// Lines are short and written by one append each, so lines of several processes never mix.

import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type Entry = { readonly callId: string; readonly pid: number } & (
  | { readonly what: 'ran'; readonly round: number }
  | { readonly what: 'asked'; readonly key: string }
  | { readonly what: 'saw'; readonly key: string; readonly action: string; readonly content?: unknown }
  | { readonly what: 'effect' }
  | { readonly what: 'refused' }
)

type Unsigned<T> = T extends unknown ? Omit<T, 'pid'> : never

export function note(file: string, entry: Unsigned<Entry>): void {
  appendFileSync(file, `${JSON.stringify({ ...entry, pid: process.pid })}\n`)
}

export class Journal {
  readonly #file: number
  readonly #byCall = new Map<string, Entry[]>()
  #offsetBytes = 0
  #rest = ''

  constructor(path: string) {
    this.#file = openSync(path, 'a+')
  }

  of(callId: string): readonly Entry[] {
    this.#read()
    return this.#byCall.get(callId) ?? []
  }

  /** Every server process that wrote an entry. */
  pids(): Set<number> {
    this.#read()
    return new Set([...this.#byCall.values()].flat().map(({ pid }) => pid))
  }

  /** Resolves when the call's entries satisfy the condition or the time is over; the caller checks again. */
  async until(callId: string, satisfied: (entries: readonly Entry[]) => boolean, limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs
    while (!satisfied(this.of(callId)) && performance.now() < endMs) await sleep(10)
  }

  close(): void {
    closeSync(this.#file)
  }

  #read(): void {
    const chunk = Buffer.alloc(65_536)
    for (;;) {
      const bytes = readSync(this.#file, chunk, 0, chunk.length, this.#offsetBytes)
      if (bytes === 0) return
      this.#offsetBytes += bytes
      const lines = (this.#rest + chunk.toString('utf8', 0, bytes)).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#keep(JSON.parse(line) as Entry)
    }
  }

  #keep(entry: Entry): void {
    const entries = this.#byCall.get(entry.callId)
    if (entries === undefined) this.#byCall.set(entry.callId, [entry])
    else entries.push(entry)
  }
}
