import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, query } from '../engine/statement.ts'

/** One definition of one tool. */
export type DefinitionKey = {
  tenant: string
  server: string
  tool: string
  digest: string
  description_digest: string
}

const ofTool = `d.tenant = :tenant and d.server = :server and d.tool = :tool`
const isThis = `tenant = :tenant and server = :server and tool = :tool and digest = :digest
  and description_digest = :description_digest`

type AddParams = RecordedParams & DefinitionKey & { id: string; definition: string }

/**
 * Pins the first definition of a tool. The unique index decides between two replicas: the second one inserts nothing and reads
 * what the first one pinned.
 */
export const pinFirstDefinition = atomic<AddParams & { signature: string }, { id: string }>(
  'pin_first_definition',
  {
    name: 'pinned',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      insert into tool_definitions (tenant, id, server, tool, digest, description_digest, definition, is_first, seen_at,
        accepted_at, accepted_by, signature, log_counter)
      select :tenant, :id, :server, :tool, :digest, :description_digest, :definition, 1, :now, :now, '', :signature, 1
      where not exists (select 1 from tool_definitions d where ${ofTool})
      on conflict do nothing
      returning tenant, id, log_counter`,
  },
  recorded('pinned', `'definition.pinned'`),
)

/** Stores a changed definition that is not accepted, up to the limit. */
export const addChangedDefinition = atomic<AddParams & { at_most: number }, { id: string }>(
  'add_changed_definition',
  {
    name: 'changed',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      insert into tool_definitions (tenant, id, server, tool, digest, description_digest, definition, is_first, seen_at, log_counter)
      select :tenant, :id, :server, :tool, :digest, :description_digest, :definition, 0, :now, 1
      where (select count(*) from tool_definitions d where ${ofTool} and d.accepted_at is null) < cast(:at_most as bigint)
      on conflict do nothing
      returning tenant, id, log_counter`,
  },
  recorded('changed', `'definition.changed'`),
)

/**
 * Stores a changed definition in place of one that waits. The ask in the condition is the lock: of two replicas, one replaces
 * the row.
 */
export const replaceChangedDefinition = atomic<
  AddParams & { old_id: string; old_digest: string; old_description_digest: string; old_ask_id: string },
  { id: string }
>(
  'replace_changed_definition',
  {
    name: 'replaced',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      update tool_definitions set id = :id, digest = :digest, description_digest = :description_digest,
        definition = :definition, seen_at = :now, ask_id = null, signature = null, log_counter = 1
      where tenant = :tenant and id = :old_id and server = :server and tool = :tool and digest = :old_digest
        and description_digest = :old_description_digest and is_first = 0 and accepted_at is null
        and coalesce(ask_id, '') = :old_ask_id
        and not exists (select 1 from tool_definitions d where ${ofTool} and d.digest = :digest
          and d.description_digest = :description_digest)
      returning tenant, id, log_counter`,
  },
  recorded('replaced', `'definition.changed'`),
)

/** Not accepted, or with a signature that no key of the ring verifies: `:unverified` is that one, or no signature at all. */
const isOpen = `(accepted_at is null or coalesce(signature, '') = :unverified)`

/** Notes the ask for a definition, unless another one was noted since the row was read. */
export const setDefinitionAsk = query<
  DefinitionKey & { ask_id: string; before: string; unverified: string },
  { id: string }
>(
  'set_definition_ask',
  `update tool_definitions set ask_id = :ask_id
   where ${isThis} and ${isOpen} and coalesce(ask_id, '') = :before returning id`,
)

/** Replaces the signature of an older key of the ring by one of the current key, so that the older one can be removed. */
export const signDefinitionAgain = query<DefinitionKey & { before: string; signature: string }, { id: string }>(
  'sign_definition_again',
  `update tool_definitions set signature = :signature where ${isThis} and signature = :before returning id`,
)

/** `isOpen` is the lock: a definition is accepted once. */
export const acceptDefinition = atomic<
  RecordedParams & DefinitionKey & { accepted_by: string; signature: string; unverified: string },
  { id: string }
>(
  'accept_definition',
  {
    name: 'accepted',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: `
      update tool_definitions set accepted_at = :now, accepted_by = :accepted_by, signature = :signature,
        log_counter = log_counter + 1
      where ${isThis} and ${isOpen}
      returning tenant, id, log_counter`,
  },
  recorded('accepted', `'definition.accepted'`),
)
