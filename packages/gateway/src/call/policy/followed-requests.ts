// Requests that follow the decision for their target, and never ask: subscriptions and completions.

import type { JsonObject } from '@assent/core'
import { serverLimits } from '../../limits.ts'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { Call } from '../model.ts'

const following: readonly string[] = ['resources/subscribe', 'completion/complete']

/** The requests whose decisions this one follows; undefined if it has a decision of its own. */
export function followedBy(call: Call): readonly Call[] | undefined {
  const { method, params } = call
  if (!following.includes(method)) return undefined
  return method === 'completion/complete' ? referredBy(call) : [readOf(call, stringAt(params, 'uri') ?? '')]
}

/** A server may read either member of a reference that has both, so both are judged; and neither is judged as both. */
function referredBy(call: Call): Call[] {
  const { name, uri } = objectAt(call.params, 'ref') ?? {}
  const prompt = { ...call, method: 'prompts/get', params: name === undefined ? {} : { name } }
  const resource = { ...call, method: 'resources/read', params: uri === undefined ? {} : { uri } }
  if (name === undefined) return uri === undefined ? [prompt, resource] : [resource]
  return uri === undefined ? [prompt] : [prompt, resource]
}

export function readOf(call: Call, uri: string): Call {
  return { ...call, method: 'resources/read', params: { uri } }
}

/** A stream has no reply: the clients whose revision has one open it by `listen`, where its resources are judged. */
export function isStream(method: string): boolean {
  return method === 'subscriptions/listen'
}

/** A request for notifications (`subscriptions/listen`) with only those resources that may be read. */
export async function watchingOnly(call: Call, mayRead: (uri: string) => Promise<boolean>): Promise<Call> {
  const filter = objectAt(call.params, 'notifications')
  if (filter === undefined || !Object.hasOwn(filter, 'resourceSubscriptions')) return call
  const { resourceSubscriptions: asked, ...rest } = filter
  const allowed: string[] = []
  for (const uri of Array.isArray(asked) ? asked.slice(0, serverLimits.subscriptions) : []) {
    if (typeof uri === 'string' && (await mayRead(uri))) allowed.push(uri)
  }
  const notifications: JsonObject = allowed.length === 0 ? rest : { ...rest, resourceSubscriptions: allowed }
  return { ...call, params: { ...call.params, notifications } }
}
