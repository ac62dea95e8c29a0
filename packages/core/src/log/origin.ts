// The name of a tenant's log: `assent/<16 hexadecimal digits>/<tenant>`. It is signed with every checkpoint, so it shows whose log it is.

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'

const nameChars = 128
const randomLength = 8

/** @param random of each log: two installations must not have logs of the same name, even if their tenants have */
export function logOrigin(tenant: string, random: Uint8Array): string {
  if (random.length !== randomLength) throw new RangeError(`A log has ${randomLength} random bytes in its name.`)
  return `assent/${Buffer.from(random).toString('hex')}/${nameInOrigin(tenant)}`
}

export function isOriginOf(origin: string, tenant: string): boolean {
  const [, name] = /^assent\/[0-9a-f]{16}\/([^/]*)$/.exec(origin) ?? []
  return tenant.isWellFormed() && name === nameInOrigin(tenant)
}

/** The name of a key is limited, and a tenant's name may consist of any characters. */
function nameInOrigin(tenant: string): string {
  const name = encodeURIComponent(tenant)
  return name.length <= nameChars ? name : hash('sha256', tenant, 'hex')
}
