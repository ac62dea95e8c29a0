import { backgroundQuery, query } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'

/** Replaces a sealed answer by its digests, once. */
export const deleteSecret = query<{ tenant: string; id: string; answer: string }, { id: string }>(
  'delete_secret',
  `update asks set answer = :answer, secret_until = null
   where tenant = :tenant and id = :id and state = 'settled' and secret_until is not null returning id`,
)

/** Sealed answers of all tenants that were not fetched in time. */
export const findUnsentSecrets = backgroundQuery<{ at_most: number }, AskRow>(
  'find_unsent_secrets',
  `select ${askColumns} from asks a where a.secret_until <= :now
   order by a.secret_until limit cast(:at_most as bigint)`,
)
