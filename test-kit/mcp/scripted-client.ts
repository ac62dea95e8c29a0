// Clients of both SDK generations with a scripted person.

import { closeAfterTest } from '../close-after-test.ts'
import { personHeader } from '../person-header.ts'
import type { Revision } from '../revisions.ts'
import type { Question } from './asking-tools.ts'
import { connectClient, type Elicitation } from './client.ts'

/** Instead of the SDK's one minute: in some tests a person answers in a browser meanwhile. */
const callTimeoutMs = 280_000

type Modes = Record<string, Record<string, never>>
export type Says = (question: Question) => unknown

export interface Visit {
  readonly person?: string
  /** The name that the client declares. */
  readonly name?: string
  /** A bearer token, if the gateway requires one. */
  readonly token?: string
  /** The person's answer to each question. */
  readonly says?: Says
  /** The declared capability; `none` for a client without elicitation. */
  readonly elicitation?: Modes | 'none'
}

export interface ConnectedClient {
  /** The questions to the person, in order. */
  readonly asked: readonly Question[]
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>
  tools(): Promise<readonly string[]>
}

export async function aClient(revision: Revision, url: string, visit: Visit = {}): Promise<ConnectedClient> {
  const asked: Question[] = []
  const answer = (question: Elicitation) => {
    asked.push(question)
    return (visit.says ?? accepts)(question)
  }
  const bearer = visit.token === undefined ? {} : { authorization: `Bearer ${visit.token}` }
  const headers = { [personHeader]: visit.person ?? 'ann', ...bearer }
  const { name = 'test', elicitation = { form: {}, url: {} } } = visit
  const options = { name, answer, elicitation, timeoutMs: callTimeoutMs }
  const client = await connectClient(revision, { url, headers }, options)
  closeAfterTest(client.close)
  return {
    asked,
    call: (name, args, signal) => client.call(name, args, signal === undefined ? {} : { signal }),
    tools: client.tools,
  }
}

/** A person who accepts everything. */
export function accepts({ mode, message }: Question): unknown {
  if (mode === 'url') return { action: 'accept' }
  return { action: 'accept', content: message === 'Which region?' ? { region: 'eu' } : { replicas: 4 } }
}
