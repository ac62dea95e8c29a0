// The identity of every caller where there is no authentication: on loopback without identity, and over stdio.

import { compact, type JsonObject, type Person } from '@assent/core'
import { stringAt } from '../protocol/messages.ts'

/** A person, and the program that acts for them. */
export interface Identity extends Person {
  /** The OAuth client that the token was issued to. */
  readonly client?: string
  /** From the token. */
  readonly roles?: readonly string[]
  /** The IP address that the request came from. */
  readonly address?: string
}

/** What is known about the sender of one request besides the principal. */
export type CallerFacts = Pick<Identity, 'groups' | 'roles' | 'address' | 'client'>

export function callerFacts({ groups, roles, address, client }: CallerFacts): CallerFacts {
  return { groups, ...compact({ roles, address, client }) }
}

/** A program chooses its own name, so the name only distinguishes the programs of one person. */
export function agentOf(client: Identity['client'], info: JsonObject): string {
  return client === undefined ? `name ${stringAt(info, 'name') ?? ''}` : `client ${client}`
}

/** Over stdio the client runs on this machine. */
export const localAddress = '127.0.0.1'

export const localPerson: Person = { principal: 'local', groups: [] }
export const onlyTenant = 'default'
