import { isRecordable, type RecordedParams, recorded } from '../audit/recorded.ts'
import { query, together } from '../engine/statement.ts'
import type { AskKey } from './find-asks.ts'

/** Marks an answer that was given to a server which waits inside its call. */
export const deliverAsk = query<AskKey, { id: string }>(
  'deliver_ask',
  `update asks set delivered_at = :now
   where tenant = :tenant and id = :id and state = 'settled' and delivered_at is null and undelivered_at is null
   returning id`,
)

/**
 * Records, once, that the server had stopped waiting when the answer came. What the person answered stays as it was. Unless
 * it is certain, an answer that was marked as delivered stays so.
 */
export const undeliverAsk = together<RecordedParams & AskKey & { is_certain: number }, { id: string }>(
  'undeliver_ask',
  {
    name: 'undelivered',
    returns: ['tenant', 'id'],
    tells: ['id'],
    sql: `
      update asks set undelivered_at = :now, delivered_at = null
      where tenant = :tenant and id = :id and state = 'settled' and undelivered_at is null
        and (delivered_at is null or cast(:is_certain as integer) = 1) and ${isRecordable}
      returning tenant, id`,
  },
  ...recorded('undelivered', `'ask.undelivered'`),
)

/** Asks of one call that were answered, and whose answer the server did not get. */
export const findUndelivered = query<{ tenant: string; call_id: string }, AskKey>(
  'find_undelivered',
  `select tenant, id from asks
   where tenant = :tenant and call_id = :call_id and state = 'settled' and delivered_at is null and undelivered_at is null`,
)

/** Notes that a request waits for the answer now, unless that was noted a short while ago. */
export const seeAsk = query<AskKey & { every: number }, { id: string }>(
  'see_ask',
  `update asks set last_seen_at = :now
   where tenant = :tenant and id = :id and state = 'open'
     and (last_seen_at is null or last_seen_at <= :now - cast(:every as bigint))
   returning id`,
)
