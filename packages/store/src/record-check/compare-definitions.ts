// Compares one stored definition of a tool with its entries in the audit log. Pure: rows in, problems out.

import { isAssentError, isPlainObject, type JsonObject, pinnedDefinition } from '@assent/core'
import type { EntryRow } from '../audit/read-entries-of.ts'
import { counterDifference } from './compare-rows.ts'

export type ComparedDefinition = {
  id: string
  tenant: string
  server: string
  tool: string
  definition: string
  signature: string | null
  digest: string
  description_digest: string
  is_first: number
  seen_at: number
  accepted_at: number | null
  accepted_by: string | null
  log_counter: number
}

type Entry = Pick<EntryRow, 'kind' | 'at' | 'body' | 'counter' | 'place'>

/** The first difference, as text; undefined if there is none. */
export function definitionDifference(row: ComparedDefinition, entries: readonly Entry[]): string | undefined {
  const [first, ...accepted] = entries
  if (first?.kind !== (row.is_first === 1 ? 'definition.pinned' : 'definition.changed'))
    return 'the audit log has no entry that it was found'
  const { server, tool, digest, descriptionDigest } = bodyOf(first)
  if (server !== row.server || tool !== row.tool) return 'the audit log has it for another server or tool'
  if (digest !== row.digest || descriptionDigest !== row.description_digest)
    return 'the audit log has another definition'
  if (!isTextOf(row)) return 'its text is not the one that the audit log has the digest of'
  if (first.at !== row.seen_at) return 'the audit log has another time at which it was found'
  return acceptanceDifference(row, accepted) ?? counterDifference(entries, row.log_counter)
}

/** Whether the text is what the digests were made of. Too large a text is not stored; the signature of a row shows whether it was. */
function isTextOf({ definition, digest, description_digest }: ComparedDefinition): boolean {
  if (definition === '') return true
  try {
    const read: unknown = JSON.parse(definition)
    if (!isPlainObject(read)) return false
    const made = pinnedDefinition(read as JsonObject)
    return made.text === definition && made.digest === digest && made.descriptionDigest === description_digest
  } catch (error) {
    if (error instanceof SyntaxError || isAssentError(error)) return false
    throw error
  }
}

/** The definitions whose rows were used for later ones, because too many waited. Only one that was never accepted is replaced. */
export function replacedIn(entries: readonly (Entry & Pick<EntryRow, 'subject'>)[]): string[] {
  const accepted = new Set(entries.filter(({ kind }) => kind === 'definition.accepted').map(({ subject }) => subject))
  const changed = entries.filter(({ kind }) => kind === 'definition.changed')
  return changed
    .map((entry) => bodyOf(entry).replaces)
    .filter((id) => typeof id === 'string' && !accepted.has(id)) as string[]
}

/** A definition whose signature no key verifies can be accepted again: the last entry counts. */
function acceptanceDifference(row: ComparedDefinition, accepted: readonly Entry[]): string | undefined {
  const last = accepted.at(-1)
  if (last === undefined) {
    const isAccepted = row.accepted_at !== null && (row.is_first === 0 || row.accepted_by !== '')
    return isAccepted ? 'it is accepted, and the audit log has no entry of it' : undefined
  }
  if (last.kind !== 'definition.accepted') return 'the audit log has other entries about it'
  const isSame = last.at === row.accepted_at && bodyOf(last).by === row.accepted_by
  return isSame ? undefined : 'the audit log has another acceptance'
}

function bodyOf({ body }: Entry): Readonly<Record<string, unknown>> {
  const read: unknown = JSON.parse(body ?? '{}')
  return isPlainObject(read) ? read : {}
}
