// A hand-written client of revision 2026-07-28, so that a test can keep a state, send it twice, or change it.

import { isPlainObject } from '@assent/core'
import type { Interaction } from './interaction.ts'
import type { Interactive, InteractiveOptions, McpHandler } from './interactive.ts'
import { scriptedPersonKey } from './run/human-check.ts'

export type RoundHandler = (args: Args, interaction: Interaction) => Promise<string>
export type Args = Readonly<Record<string, unknown>>

export interface Round {
  /** The questions by key; none when the call has ended. */
  readonly questions: Readonly<Record<string, { readonly message: string; readonly [member: string]: unknown }>>
  readonly state: string | undefined
  readonly text: string
  readonly code: string | undefined
}

export interface Retry {
  /** Treats the answers as those of a real client: approvals that arrive too fast are rejected. */
  readonly isReal?: boolean
  readonly state?: string | undefined
  readonly answers?: Readonly<Record<string, unknown>>
  /** The subject of the caller's token; no token by default. */
  readonly sub?: string
  /** The access token; by default one made from the subject. */
  readonly token?: string
  readonly elicitation?: object
}

export type CallRound = (args?: Args, retry?: Retry) => Promise<Round>

export function roundsOf(
  interactive: Interactive,
  handler: RoundHandler,
  options: InteractiveOptions = { name: 'tool' },
): CallRound {
  const wrapped: McpHandler<[Args], unknown, unknown> = interactive<[Args], unknown, unknown>(handler, options)
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
      ...(isReal ? {} : { [scriptedPersonKey]: true }),
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
export async function answerAll(
  play: CallRound,
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
