import type { Part } from '../engine/statement.ts'

/**
 * Part of the statement that opens an ask: an announced ask (`:announce` is 1) and its row in the outbox are stored
 * together.
 */
export const announced: Part = {
  name: 'announced',
  sql: `
    insert into outbox (tenant, ask_id, stage, due_at)
    select c.tenant, c.id, 'raised', c.raised_at from raised c where cast(:announce as integer) = 1`,
}
