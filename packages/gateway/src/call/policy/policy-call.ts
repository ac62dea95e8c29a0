// What policies get to know about a call. Pure.

import { compact, type JsonObject } from '@assent/core'
import type { PolicyCall, PolicyTarget } from '@assent/policy'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { Call } from '../model.ts'
import { personOf } from './listed-tools.ts'

/** @param definition of the target, as its server lists it for this caller */
export function policyCallOf(
  call: Call,
  { kind, server, name }: Pick<PolicyTarget, 'kind' | 'server' | 'name'>,
  definition: JsonObject,
  time: PolicyCall['time'],
): PolicyCall {
  return {
    kind,
    server,
    name,
    arguments: objectAt(call.params, 'arguments') ?? {},
    ...(kind === 'tools' && definition.inputSchema !== undefined ? { schema: definition.inputSchema } : {}),
    annotations: objectAt(definition, 'annotations') ?? {},
    person: personOf(call),
    claims: compact({ agent: call.agent, client: stringAt(call.client.info, 'name') }),
    time,
    ...compact({ address: call.address }),
  }
}
