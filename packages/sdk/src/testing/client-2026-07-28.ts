// Calls a handler as SDK 2.x does on revision 2026-07-28: again and again, until its result is a finished one.
//
// A client whose person never answers retries without an answer from time to time, as real ones do, until the tool
// or the client times out.

import { isPlainObject } from '@assent/core'
import type { CallHandler } from '../register/call-handler.ts'
import { type ScriptedCall, scriptedPersonKey } from '../run/human-check.ts'
import type { CallOutcome, ClientOptions } from './client.ts'
import { shownOf } from './shown.ts'

const retryEveryMs = 50
/** Test runners stop a test after five seconds. */
const scripted: ScriptedCall = { repeatWithinMs: 2_000 }

export async function call20260728(call: CallHandler, options: ClientOptions): Promise<CallOutcome> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilitiesOf(options),
  }
  const { signal } = new AbortController()
  const ignored = new Set<string>()
  const asked = new Set<string>()
  let askingRounds = 0
  let round: Round = {}
  for (let runs = 1, waitedMs = 0; ; runs++) {
    const { inputResponses, state } = round
    const mcpReq = {
      id: runs,
      method: 'tools/call',
      envelope,
      inputResponses,
      requestState: () => state,
      signal,
      [scriptedPersonKey]: scripted,
    }
    const result = await call({ mcpReq })
    if (!isPlainObject(result) || result.resultType !== 'input_required') return { result, runs }

    if (hasNew(result.inputRequests, asked)) askingRounds++
    if (askingRounds > options.maxRounds) throw tooManyRounds(options.maxRounds)
    const answers = answersTo(result.inputRequests, options, ignored)
    round = { inputResponses: answers, state: result.requestState }
    if (Object.keys(answers).length > 0) continue
    if (waitedMs >= options.timeoutMs) return { result: undefined, runs }
    waitedMs += retryEveryMs
    await new Promise((resolve) => setTimeout(resolve, retryEveryMs))
  }
}

/** Whether a round asks something that no round before it asked. */
function hasNew(requests: unknown, asked: Set<string>): boolean {
  const before = asked.size
  for (const key of Object.keys(isPlainObject(requests) ? requests : {})) asked.add(key)
  return asked.size > before
}

function tooManyRounds(maxRounds: number): Error {
  return new Error(
    `The tool asks in more than ${maxRounds} rounds. The official client of revision 2026-07-28 ends a call after 10. ` +
      'Ask several things at once with ask.all, or set maxRounds if your clients allow more.',
  )
}

function capabilitiesOf({ shows: { form, url } }: ClientOptions): object {
  return form || url ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}
}

interface Round {
  readonly inputResponses?: Readonly<Record<string, unknown>>
  readonly state?: unknown
}

/** `ignored` keeps what the person saw before and does not answer, so that they see it once. */
function answersTo(
  requests: unknown,
  { person, replayAlways }: ClientOptions,
  ignored: Set<string>,
): Readonly<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [key, request] of isPlainObject(requests) ? Object.entries(requests) : []) {
    if (ignored.has(key)) continue
    const answering = person.see(shownOf(isPlainObject(request) ? request.params : undefined))
    if (answering.answers) answers[key] = answering.answer
    else ignored.add(key)
    if (answering.answers && replayAlways) break
  }
  return answers
}
