import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, query } from '../engine/statement.ts'
import type { Ended } from './end-ask.ts'
import type { AskKey } from './find-asks.ts'

/** Marks an answer as delivered to a server that waits inside its call. */
export const deliverAsk = query<AskKey, { id: string }>(
  'deliver_ask',
  `update asks set delivered_at = :now
   where tenant = :tenant and id = :id and state = 'settled' and delivered_at is null and undelivered_at is null
   returning id`,
)

/**
 * Records, once, that the server had stopped waiting when the answer came. The answer stays. An answer that was marked as
 * delivered stays so, unless the caller is certain.
 */
export const undeliverAsk = atomic<RecordedParams & AskKey & { is_certain: number }, Ended>(
  'undeliver_ask',
  {
    name: 'undelivered',
    returns: ['tenant', 'id', 'approval_rule', 'principal', 'log_counter'],
    selects: ['id', 'approval_rule', 'principal'],
    sql: `
      update asks set undelivered_at = :now, delivered_at = null, log_counter = log_counter + 1
      where tenant = :tenant and id = :id and state = 'settled' and undelivered_at is null
        and (delivered_at is null or cast(:is_certain as integer) = 1)
      returning tenant, id, approval_rule, principal, log_counter`,
  },
  recorded('undelivered', `'ask.undelivered'`),
)

/** Records that a request waits for the answer now, unless that was recorded a short while ago. */
export const seeAsk = query<AskKey & { every: number }, { id: string }>(
  'see_ask',
  `update asks set last_seen_at = :now
   where tenant = :tenant and id = :id and state = 'open'
     and (last_seen_at is null or last_seen_at <= :now - cast(:every as bigint))
   returning id`,
)
