// The record of calls (`record: calls`): an entry for each tool call, prompt and read resource.
//
// Owns: when entries are written. Does not own: what the policies decide (policy/), or the rows (store).
// I1  A call that a policy decided reaches its server only after its entry is stored. If it cannot be stored, the call is
//     refused and nothing runs.
// I2  Every other call runs whether or not its entry can be written. Entries that are lost are counted.
// I3  Each call has one entry, also if several requests continue it, at any replica: its id is in the call's state.
// I4  Of several requests that carry an answer to the same question, the one whose answer counts ends the entry.
// I5  With `record: decisions` a call passes through unchanged.

import { compact } from '@assent/core'
import type { CallOutcome } from '@assent/store'
import { errorCodes } from '../../protocol/messages.ts'
import {
  type Answers,
  type Call,
  type Ended,
  mayAsk,
  type Outcome,
  type ServerState,
  type Upstream,
  unsent,
} from '../model.ts'
import { type CarriedEntry, carriedEntry, OpenEntry, waitsForApproval } from './call-entry.ts'
import type { RecordWriter } from './record-writer.ts'

export interface RecordSettings {
  readonly isOn: boolean
  /** Whether the arguments themselves are recorded, without what looks like a secret. */
  readonly keepsArguments: boolean
}

export class CallRecorder {
  readonly #writer: RecordWriter
  readonly #settings: () => RecordSettings
  readonly #nowMs: () => number
  readonly #above = new WeakMap<Upstream, Upstream>()
  readonly #below = new WeakMap<Upstream, Upstream>()

  /** @param settings read at each call, because a reload changes them */
  constructor(writer: RecordWriter, settings: () => RecordSettings, nowMs: () => number) {
    this.#writer = writer
    this.#settings = settings
    this.#nowMs = nowMs
  }

  /**
   * The same server with recorded calls.
   * @param gated adds what decides about a call, between the two parts of the recorder
   */
  over(upstream: Upstream, gated: (upstream: Upstream) => Upstream): Upstream {
    if (!this.#settings().isOn) return gated(upstream)
    const below = cached(this.#below, upstream, () => behindEntries(upstream))
    return cached(this.#above, gated(below), (inner) => this.#recorded(inner))
  }

  /** Finds the server of a call. If it cannot be opened, the call is recorded as failed. */
  async find(call: Call, server: string, open: (name: string) => Promise<Upstream>): Promise<Upstream> {
    try {
      return await open(server)
    } catch (error) {
      if (this.#isRecorded(call)) this.#end(this.#open(call, server, undefined), 'failed')
      throw error
    }
  }

  /** The call shared the approval of another one, which ran: its entry gets the same outcome. */
  joined(call: Call, server: string, own: CarriedEntry, { outcome, askId }: NonNullable<Ended['recorded']>): void {
    const carried = { ...own, ...compact({ askId }) }
    if (this.#isRecorded(call)) this.#end(this.#open(call, server, carried), outcome)
  }

  #recorded(upstream: Upstream): Upstream {
    return withCalls(upstream, {
      start: (call) => {
        if (!this.#isRecorded(call)) return upstream.start(call)
        const entry = this.#open(call, upstream.name, undefined)
        return this.#run(entry, () => upstream.start({ ...call, entry }))
      },
      continue: (call, state, given) => {
        if (!this.#isRecorded(call)) return upstream.continue(call, state, given)
        const entry = this.#open(call, upstream.name, carriedEntry(state))
        if (waitsForApproval(state)) entry.answered(given)
        return this.#run(entry, () => upstream.continue({ ...call, entry }, state, given))
      },
    })
  }

  #isRecorded({ method }: Call): boolean {
    return this.#settings().isOn && mayAsk(method)
  }

  #open(call: Call, server: string, carried: CarriedEntry | undefined): OpenEntry {
    const commit: RecordWriter['commit'] = (row) => this.#writer.commit(row)
    return new OpenEntry(call, server, carried, this.#nowMs(), this.#settings().keepsArguments, commit)
  }

  async #run(entry: OpenEntry, run: () => Promise<Outcome>): Promise<Outcome> {
    let outcome: Outcome
    try {
      outcome = await run()
    } catch (error) {
      this.#end(entry, entry.endingOf(undefined)?.outcome)
      throw error
    }
    if (outcome.kind !== 'input-required') {
      const recorded = entry.endingOf(outcome)
      this.#end(entry, recorded?.outcome)
      return recorded === undefined ? outcome : { ...outcome, recorded }
    }
    this.#writer.later(() => entry.draft(), entry.heldChars)
    return { ...outcome, state: entry.carriedIn(outcome.state) }
  }

  #end(entry: OpenEntry, outcome: CallOutcome | undefined): void {
    if (outcome === undefined) return
    const atMs = this.#nowMs()
    this.#writer.later(() => entry.draft({ outcome, atMs }), entry.heldChars)
  }
}

/** The outcome of a call whose entry cannot be stored. */
export const notRecorded = unsent(
  errorCodes.refused,
  'This call must be recorded before it runs, and the record cannot be written now. Nothing ran: try again later.',
)

/** The server itself: it gets a call only when the call's entry allows it. */
function behindEntries(upstream: Upstream): Upstream {
  return withCalls(upstream, {
    start: async (call) => ((await mayBeSent(call)) ? upstream.start(call) : notRecorded),
    // Its server has the call already.
    continue: (call, state, given) => {
      call.entry?.forwarded()
      return upstream.continue(call, state, given)
    },
  })
}

/** Lists that are read to decide about a call carry its entry too, and are not the call. */
async function mayBeSent({ method, entry }: Call): Promise<boolean> {
  return entry === undefined || !mayAsk(method) || entry.mayForward()
}

function withCalls(
  upstream: Upstream,
  calls: {
    start(call: Call): Promise<Outcome>
    continue(call: Call, state: ServerState, given: Answers): Promise<Outcome>
  },
): Upstream {
  return {
    ...calls,
    name: upstream.name,
    describe: (call) => upstream.describe(call),
    listen: (call) => upstream.listen(call),
    ...(upstream.notify === undefined ? {} : { notify: (call, notification) => upstream.notify?.(call, notification) }),
    leave: (principal, scope) => upstream.leave(principal, scope),
    close: () => upstream.close(),
  }
}

function cached(known: WeakMap<Upstream, Upstream>, key: Upstream, make: (upstream: Upstream) => Upstream): Upstream {
  const found = known.get(key) ?? make(key)
  known.set(key, found)
  return found
}
