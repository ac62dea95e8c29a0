// The id of a replica, and names that contain it: a message that returns with such a name belongs to that replica.

import { randomUUID } from 'node:crypto'

const pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** New at each start, so that a process never receives what belongs to an earlier one. Cannot be guessed. */
export function newReplicaId(): string {
  return randomUUID()
}

/** A new name that contains the id of the replica. Cannot be guessed. */
export function newNameAt(replica: string): string {
  return `${randomUUID()}.${replica}`
}

/** The replica in a name; undefined for a malformed name. The replica need not exist. */
export function replicaOf(name: unknown): string | undefined {
  const replica = typeof name === 'string' ? name.split('.', 2)[1] : undefined
  return replica !== undefined && pattern.test(replica) ? replica : undefined
}
