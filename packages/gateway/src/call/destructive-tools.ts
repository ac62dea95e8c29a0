// The tools that their servers declare as destructive, from the lists that passed through this process.
//
// A tool whose definition was not seen yet is not in here: the hint adds
// time to undo a yes, or asks for a passkey with `inbox.presence: destructive`. Stricter settings do not depend on it.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { objectAt, stringAt } from '../protocol/messages.ts'
import type { Call, InputRequest } from './model.ts'

type Wanted = Readonly<Record<string, InputRequest>>

/** Only an explicit hint counts: by default every tool would be destructive. */
export function declaresDestructive(definition: JsonObject): boolean {
  return objectAt(definition, 'annotations')?.destructiveHint === true
}

export class DestructiveTools {
  readonly #names = new Map<string, Set<string>>()

  /** Reads a page of a server's list. */
  listed(server: string, method: string, items: readonly JsonValue[]): void {
    if (method !== 'tools/list') return
    const names = this.#names.get(server) ?? new Set()
    this.#names.set(server, names)
    for (const item of items) {
      const name = isPlainObject(item) ? stringAt(item as JsonObject, 'name') : undefined
      if (name === undefined) continue
      if (!declaresDestructive(item as JsonObject)) names.delete(name)
      else if (names.size < relayLimits.destructiveTools) names.add(name)
    }
  }

  /**
   * The questions of a call, marked if it calls one of these tools. `params` contains the server's name of the tool. The
   * approval of a call has its own mark, from the definition by which the call was judged.
   */
  marked(server: string, { method, params }: Pick<Call, 'method' | 'params'>, wanted: Wanted): Wanted {
    if (method !== 'tools/call' || this.#names.get(server)?.has(stringAt(params, 'name') ?? '') !== true) return wanted
    const all = Object.entries(wanted).map(([key, one]) => [
      key,
      one.kind === 'form' && one.approval === undefined ? { ...one, isInDestructiveTool: true as const } : one,
    ])
    return Object.fromEntries(all)
  }
}
