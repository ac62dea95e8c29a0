// Plays the client of revision 2026-07-28 by hand, so that a test can keep a state, bring it back twice, or change it.

import { isPlainObject } from '@assent/core'
import type { Interaction } from './interaction.ts'
import type { Interactive, InteractiveOptions, Wrapped } from './interactive.ts'
import { scriptedPerson } from './run/seen.ts'

export type Handler = (args: Args, interaction: Interaction) => Promise<string>
export type Args = Readonly<Record<string, unknown>>

export interface Round {
  /** The questions by key; none when the call has ended. */
  readonly questions: Readonly<Record<string, { readonly message: string; readonly [member: string]: unknown }>>
  readonly state: string | undefined
  readonly text: string
  readonly code: string | undefined
}

export interface Retry {
  /** Whether its answers are taken for those of a real client, whose approvals must not come too fast. */
  readonly isReal?: boolean
  readonly state?: string | undefined
  readonly answers?: Readonly<Record<string, unknown>>
  /** Who calls; unless said, nobody in particular. */
  readonly sub?: string
  /** Of the access token; unless said, one that goes with the subject. */
  readonly token?: string
  readonly elicitation?: object
}

export type Play = (args?: Args, retry?: Retry) => Promise<Round>

export function roundsOf(
  interactive: Interactive,
  handler: Handler,
  options: InteractiveOptions = { name: 'tool' },
): Play {
  const wrapped: Wrapped<[Args], unknown, unknown> = interactive<[Args], unknown, unknown>(handler, options)
  return async (args = { env: 'test' }, retry = {}) => roundFrom(await wrapped(args, contextOf(retry)))
}

function contextOf({ state, answers, sub, token, isReal = false, elicitation = { form: {}, url: {} } }: Retry): object {
  return {
    mcpReq: {
      id: 1,
      method: 'tools/call',
      envelope: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation },
      },
      requestState: () => state,
      signal: new AbortController().signal,
      ...(isReal ? {} : { [scriptedPerson]: true }),
      ...(answers === undefined ? {} : { inputResponses: answers }),
    },
    ...(sub === undefined && token === undefined
      ? {}
      : {
          http: { authInfo: { token: token ?? `token of ${sub}`, ...(sub === undefined ? {} : { extra: { sub } }) } },
        }),
  }
}

function roundFrom(result: unknown): Round {
  const { inputRequests, requestState, content, _meta } = result as {
    inputRequests?: Record<string, { params: Round['questions'][string] }>
    requestState?: string
    content?: { text: string }[]
    _meta?: Record<string, unknown>
  }
  const refusal = _meta?.['assent/refusal']
  return {
    questions: Object.fromEntries(Object.entries(inputRequests ?? {}).map(([key, { params }]) => [key, params])),
    state: requestState,
    text: content?.[0]?.text ?? '',
    code: isPlainObject(refusal) ? String(refusal.code) : undefined,
  }
}

/** Answers every question of a round by its message, until the call ends. */
export async function playOn(
  play: Play,
  answers: Readonly<Record<string, unknown>>,
  retry: Retry = {},
): Promise<Round> {
  let round = await play(undefined, retry)
  while (round.state !== undefined) {
    const entries = Object.entries(round.questions).map(([key, { message }]) => [key, answers[message]])
    round = await play(undefined, { ...retry, state: round.state, answers: Object.fromEntries(entries) })
  }
  return round
}

export function accept(content?: object): object {
  return content === undefined ? { action: 'accept' } : { action: 'accept', content }
}
