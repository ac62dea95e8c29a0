// What the recording of a run shows about the client: its revision, what it declares, and what it answers by itself.

import { isPlainObject } from '@assent/core'
import type { Recorded } from './recorder.ts'

export interface ClientFacts {
  readonly name: string
  readonly version: string
  /** The revision of its calls. */
  readonly revision: string
  /** A newer revision that it tried first, if it then used another one. */
  readonly tried?: string
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Whether its calls carry a token for progress. */
  readonly wantsProgress: boolean
  /** Its responses to questions, without a person at a terminal: the action or error, and the slowest time. */
  readonly ownAnswers: readonly { readonly action: string; readonly count: number; readonly slowestMs: number }[]
  /** The longest call that got its result on the same connection. */
  readonly longestCallMs: number
  /** How many of its variables reach the server, not counting HOME and PATH. */
  readonly variables: number
}

type Message = Readonly<Record<string, unknown>>

interface Timed {
  readonly at: number
  readonly from: 'client' | 'server'
  readonly message: Message
}

const metaPrefix = 'io.modelcontextprotocol/'

/** Undefined if the client never introduced itself. */
export function factsOf(recording: readonly Recorded[]): ClientFacts | undefined {
  const messages = recording.flatMap(messageOf)
  const byClient = messages.filter(({ from }) => from === 'client').map(({ message }) => message)
  const calls = byClient.filter(({ method }) => method === 'tools/call')
  const introductions = byClient.flatMap(introductionOf)
  const last = introductions.at(-1)
  const inCall = calls.flatMap(introductionOf).at(-1)
  const used = inCall ?? last
  if (used === undefined) return undefined
  const started = recording.find((line) => 'started' in line)
  const variables = started?.started.variables.filter((one) => !['HOME', 'PATH'].includes(one)).length ?? 0
  const tried = introductions[0]?.revision
  return {
    ...used,
    ...(tried !== undefined && tried !== used.revision && { tried }),
    wantsProgress: calls.some(
      ({ params }) => objectAt(objectAt({ params }, 'params'), '_meta').progressToken !== undefined,
    ),
    ownAnswers: ownAnswersOf(messages),
    longestCallMs: longestCallOf(messages),
    variables,
  }
}

type Introduction = Pick<ClientFacts, 'name' | 'version' | 'revision' | 'capabilities'>

/** From `initialize`, or from the `_meta` of a request of the stateless revision. */
function introductionOf(message: Message): Introduction[] {
  const params = objectAt(message, 'params')
  const meta = objectAt(params, '_meta')
  const given =
    message.method === 'initialize'
      ? { info: objectAt(params, 'clientInfo'), revision: params.protocolVersion, capabilities: params.capabilities }
      : {
          info: objectAt(meta, `${metaPrefix}clientInfo`),
          revision: meta[`${metaPrefix}protocolVersion`],
          capabilities: meta[`${metaPrefix}clientCapabilities`],
        }
  const { info, revision, capabilities } = given
  if (typeof revision !== 'string') return []
  const declared = isPlainObject(capabilities) ? capabilities : {}
  return [{ name: String(info.name), version: String(info.version), revision, capabilities: declared }]
}

function ownAnswersOf(messages: readonly Timed[]): ClientFacts['ownAnswers'] {
  const asked = new Map<unknown, number>()
  const answers: { readonly action: string; readonly ms: number }[] = []
  for (const { at, from, message } of messages) {
    if (from === 'server' && message.method === 'elicitation/create') asked.set(message.id, at)
    if (from === 'client' && 'id' in message && !('method' in message)) {
      const since = asked.get(message.id)
      if (since !== undefined) answers.push({ action: actionOf(message), ms: at - since })
    }
    for (const { action, since } of repeatedAnswers(message, from, at, asked)) answers.push({ action, ms: at - since })
  }
  const byAction = Map.groupBy(answers, ({ action }) => action)
  return [...byAction].map(([action, all]) => ({
    action,
    count: all.length,
    slowestMs: Math.max(...all.map(({ ms }) => ms)),
  }))
}

function longestCallOf(messages: readonly Timed[]): number {
  const began = new Map<unknown, number>()
  let longest = 0
  for (const { at, from, message } of messages) {
    if (from === 'client' && message.method === 'tools/call') began.set(message.id, at)
    const since = from === 'server' && 'result' in message ? began.get(message.id) : undefined
    if (since !== undefined) longest = Math.max(longest, at - since)
  }
  return longest
}

/** In the stateless revision the questions are in a result, and the answers in a repeated call. */
function repeatedAnswers(message: Message, from: Timed['from'], at: number, asked: Map<unknown, number>) {
  if (from === 'server') {
    for (const key of Object.keys(objectAt(objectAt(message, 'result'), 'inputRequests'))) asked.set(key, at)
    return []
  }
  const responses = Object.entries(objectAt(objectAt(message, 'params'), 'inputResponses'))
  return responses.flatMap(([key, response]) => {
    const since = asked.get(key)
    return since === undefined ? [] : [{ action: actionOf({ result: response }), since }]
  })
}

function actionOf(message: Message): string {
  if ('error' in message) return `error ${objectAt(message, 'error').code}`
  return String(objectAt(message, 'result').action)
}

function messageOf(line: Recorded): Timed[] {
  if ('started' in line) return []
  try {
    const message: unknown = JSON.parse(line.text)
    return isPlainObject(message) ? [{ at: line.at, from: line.from, message }] : []
  } catch {
    // Not a message; the other side ignores it too.
    return []
  }
}

function objectAt(message: Message, name: string): Message {
  const value = message[name]
  return isPlainObject(value) ? value : {}
}
