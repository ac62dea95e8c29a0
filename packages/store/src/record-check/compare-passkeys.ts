// Compares one stored passkey with its entries in the audit log. Pure: rows in, problems out.

import { canonicalJson, isPlainObject } from '@assent/core'
import type { EntryRow } from '../audit/read-entries-of.ts'
import { passkeyFromRow } from '../passkeys/passkeys.ts'
import type { ComparedPasskey } from '../passkeys/read-passkeys.ts'
import { counterDifference } from './compare-rows.ts'

/** The first difference, as text; undefined if there is none. */
export function passkeyDifference(
  row: ComparedPasskey,
  entries: readonly Pick<EntryRow, 'kind' | 'at' | 'body' | 'counter' | 'place'>[],
): string | undefined {
  const [added, ...more] = entries.filter(({ kind }) => kind === 'passkey.added')
  if (added === undefined) return 'the audit log has no entry that it was added'
  if (more.length > 0) return 'it was added twice according to the audit log'
  const { principal, credentialId, publicKey, algorithm, rpId, name } = passkeyFromRow(row)
  const expected: Record<string, string> = { principal, credentialId, publicKey, algorithm, rpId, name }
  if (added.body === null) return 'the text about it was erased in the audit log, and its row was not'
  const logged: unknown = JSON.parse(added.body)
  const isSame = (member: string) => isPlainObject(logged) && logged[member] === expected[member]
  const wrong = Object.keys(expected).find((member) => !isSame(member))
  if (wrong !== undefined) return `the audit log has another ${wrong} (${canonicalJson(expected[wrong])} is stored)`
  if (added.at !== row.added_at) return 'the audit log has another time of its registration'
  const removed = entries.find(({ kind }) => kind === 'passkey.removed')
  if ((removed?.at ?? null) === row.removed_at) return counterDifference(entries, row.log_counter)
  return removed === undefined
    ? 'it is removed, and the audit log has no entry of it'
    : 'it is stored, but removed according to the audit log'
}
