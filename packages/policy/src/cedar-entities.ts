// The person, the tool and the action of a call as entities of Cedar.

import type { JsonObject } from '@assent/core'
import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import { actionOf, type PolicyKind } from './short-form.ts'

export interface PolicyPerson {
  readonly principal: string
  /** The issuer's groups. */
  readonly groups: readonly string[]
  readonly roles: readonly string[]
  /** Groups of `groups:`; `Policies` adds them. */
  readonly teams?: readonly string[]
}

export interface PolicyTarget {
  readonly kind: PolicyKind
  readonly server: string
  /** The server's own name of the tool or prompt, or the address of the resource. */
  readonly name: string
  /** The server's claims about the tool. */
  readonly annotations?: JsonObject
}

const resourceTypes = { tools: 'Tool', prompts: 'Prompt', resources: 'Resource' } as const

export function actionEntity(kind: PolicyKind): TypeAndId {
  return { type: 'Action', id: actionOf[kind] }
}

export function resourceEntity({ kind, server, name }: PolicyTarget): TypeAndId {
  return { type: resourceTypes[kind], id: `${server}/${name}` }
}

/** @param isRead whether a policy reads the attribute with this name: no other is needed */
export function entitiesOf(
  person: PolicyPerson,
  target: PolicyTarget,
  isDefinitionChanged: boolean,
  isRead: (attribute: string) => boolean = () => true,
): EntityJson[] {
  const { server, name, annotations = {} } = target
  const isReadOnly = annotations.readOnlyHint === true
  const attrs = {
    server,
    name,
    readOnly: isReadOnly,
    // A tool that does not say so may be destructive.
    destructive: !isReadOnly && annotations.destructiveHint !== false,
    idempotent: annotations.idempotentHint === true,
    openWorld: annotations.openWorldHint !== false,
    definitionChanged: isDefinitionChanged,
  }
  return [
    {
      uid: { type: 'Person', id: person.principal },
      attrs: isRead('roles') ? { roles: [...person.roles] } : {},
      parents: [
        ...person.groups.map((id) => ({ type: 'Group', id })),
        ...(person.teams ?? []).map((id) => ({ type: 'Team', id })),
      ],
    },
    {
      uid: resourceEntity(target),
      attrs: Object.fromEntries(Object.entries(attrs).filter(([attribute]) => isRead(attribute))),
      parents: [{ type: 'Server', id: server }],
    },
  ]
}
