// Routing above a scripted server, for the tests of routing.

import { until } from '../../../../../test-kit/until.ts'
import type { CallState, RelayState, RoutingState } from '../call-state.ts'
import type { CallerWait, CallLayer } from '../layers.ts'
import { type Answers, type Call, type InputRequest, type NeedsInput, type Outcome, withoutAskIds } from '../model.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { tooMuchState } from '../seal-state.ts'
import { Shutdown } from '../shutdown.ts'
import { Routing, type RoutingSettings } from './routing.ts'
import { callOf, form, openRounds, settings } from './sample-rounds.suite.ts'
import type { RoundClaims } from './send-answers.ts'

export const relay: RelayState = { server: 'deploy', inner: null, schemas: {}, isPrefixed: false }
export const done: Outcome<RelayState> = { kind: 'finished', result: { content: [] } }
export const showsForms = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
export const patient: CallerWait = { forMs: 60_000, canRetry: false }
export const yes = { result: { action: 'accept', content: {} } }
export const no = { result: { action: 'decline' } }
export const link = {
  kind: 'url',
  message: 'Open it.',
  url: 'https://example.com',
  params: {},
} as const satisfies InputRequest
export const roots: InputRequest = { kind: 'roots', params: {} }
/** Long enough for a person to answer, and too short. */
export const slow = 60_000
export const fast = 5

export function asking(
  wanted: NeedsInput['wanted'] = { one: form('One?') },
  state: Partial<RelayState> = {},
  more: Partial<NeedsInput<RelayState>> = {},
): NeedsInput<RelayState> {
  return { kind: 'input-required', wanted, state: { ...relay, ...state }, ...more }
}

interface Script {
  readonly settings?: Partial<RoutingSettings>
  readonly wait?: CallerWait
  readonly claims?: Partial<RoundClaims>
  readonly perCaller?: number
  readonly record?: () => Promise<string>
}

/** A server that replies to each request with the next of these; after the last one it fails. */
export async function routed(replies: readonly Outcome<RelayState>[], script: Script = {}) {
  const rounds = await openRounds()
  const left = [...replies]
  const next = async () => left.shift() ?? tooMuchState
  const sent: Answers[] = []
  const calls: { call: Call; state: RelayState }[] = []
  const refused: { state: RelayState; limit: string }[] = []
  const reports: unknown[] = []
  const below: CallLayer = {
    start: next,
    continue: (call, state, given) => {
      sent.push(withoutAskIds(given))
      calls.push({ call, state })
      return next()
    },
    refuse: (_call, state, { limit }) => {
      refused.push({ state, limit })
      return next()
    },
    ...(script.record === undefined ? {} : { record: script.record }),
  }
  const { perCaller = 100 } = script
  const limits = new OpenAskLimits({
    isEnabled: true,
    askWaitMs: settings.askWaitMs,
    open: { perCaller, total: 1_000 },
  })
  const all: RoutingSettings = { ...settings, unseenAfterMs: 300, ...script.settings }
  const shutdown = new Shutdown()
  const claims: RoundClaims = { find: async () => undefined, run: (_name, _wait, send) => send(), ...script.claims }
  const routing = new Routing(
    rounds.store,
    all,
    limits,
    shutdown,
    claims,
    (_call, server, key, how) => void reports.push([server, key, how]),
    rounds.onError,
  )
  return {
    ...rounds,
    routing,
    shutdown,
    below,
    sent,
    calls,
    refused,
    reports,
    exchange: routing.through(below, script.wait ?? patient),
    /** The first open ask, as soon as there is one. */
    firstAsk: async () => {
      const [ask] = await until(async () => ((await rounds.open()).length > 0 ? rounds.open() : undefined))
      return ask?.id
    },
  }
}

/** The state with which a caller continues. */
export function stateIn(outcome: Outcome<CallState>): RoutingState {
  if (outcome.kind !== 'input-required' || !('wanted' in outcome.state)) throw new Error('The call was not routed.')
  return outcome.state
}
