// Who everyone is where nobody is asked who they are: on loopback without identity, and on standard input.

import type { Person } from '@assent/core'

export const localPerson: Person = { principal: 'local', groups: [] }
export const onlyTenant = 'default'
