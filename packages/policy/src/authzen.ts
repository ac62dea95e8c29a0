// A vote of an external policy decision point, by the AuthZEN Authorization API 1.0 (access evaluation).
//
// Only a response with status 200 and `decision: true` permits. Whatever else happens denies: no connection, a redirect, a
// timeout, another status, a body that is too large, not JSON, or without a boolean decision.

import { isPlainObject, type JsonObject } from '@assent/core'
import type { PolicyCall } from './policy-set.ts'
import { actionOf } from './short-form.ts'

export interface AuthzenSettings {
  /** Of the evaluation, such as `https://pdp.example.com/access/v1/evaluation`. */
  readonly endpoint: URL
  /** Such as Authorization. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** A decision point and what its vote is for. */
export interface DecisionPoint extends AuthzenSettings {
  /** Needed in addition to the policies, or asked about calls that none of them permits. */
  readonly mode: 'additional' | 'alternative'
}

/** The name of the decision point among the policies of a decision. */
export const decisionPointName = 'authzen'

export type AuthzenVote =
  | { readonly permits: true }
  /** `isAnswer`: the decision point denied; otherwise it gave no valid answer. */
  | { readonly permits: false; readonly isAnswer: boolean; readonly reason: string }

const bodyBytes = 65_536
const resourceTypes = { tools: 'tool', prompts: 'prompt', resources: 'resource' } as const

export async function authzenVote(
  call: PolicyCall,
  { endpoint, headers, timeoutMs }: AuthzenSettings,
  stop?: AbortSignal,
): Promise<AuthzenVote> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      redirect: 'error',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(evaluationOf(call)),
      signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
    })
    const body = await readBody(response)
    if (response.status !== 200) return invalid(`status ${response.status}`)
    return body === undefined ? invalid(`more than ${bodyBytes} bytes`) : voteIn(body)
  } catch (error) {
    return invalid(timeout.aborted ? `no response within ${timeoutMs} ms` : reasonIn(error))
  }
}

/** The request, with the default mapping of MCP calls. */
function evaluationOf(call: PolicyCall): JsonObject {
  const { person, kind, server, name, claims, annotations, address } = call
  return {
    subject: { type: 'identity', id: person.principal, properties: { groups: person.groups, roles: person.roles } },
    action: { name: actionOf[kind] },
    resource: {
      type: resourceTypes[kind],
      id: `${server}/${name}`,
      properties: { server, name, annotations: annotations ?? {} },
    },
    context: {
      arguments: call.arguments,
      ...claims,
      ...(address === undefined ? {} : { address }),
    },
  }
}

function voteIn(body: string): AuthzenVote {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return invalid('a body that is not JSON')
  }
  const decision = isPlainObject(value) && Object.hasOwn(value, 'decision') ? value.decision : undefined
  if (decision === true) return { permits: true }
  if (decision === false) return { permits: false, isAnswer: true, reason: 'The decision point denies the call.' }
  return invalid('no boolean decision')
}

function invalid(what: string): AuthzenVote {
  return { permits: false, isAnswer: false, reason: `The decision point gave no valid answer: ${what}.` }
}

/** `fetch` puts the reason into the cause. */
function reasonIn(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

/** Undefined if the body is too large. */
async function readBody(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > bodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
