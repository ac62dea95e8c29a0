// The identity of every caller where there is no authentication: on loopback without identity, and over stdio.

import type { Person } from '@assent/core'

/** A person, and the program that acts for them. */
export interface Identity extends Person {
  /** The OAuth client that the token was issued to. */
  readonly client?: string
}

export const localPerson: Person = { principal: 'local', groups: [] }
export const onlyTenant = 'default'
