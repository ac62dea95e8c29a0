import { query } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'

/** An ask whose texts were erased cannot be read any more. */
export const readAsk = query<{ tenant: string; id: string }, AskRow>(
  'read_ask',
  `select ${askColumns} from asks a where a.tenant = :tenant and a.id = :id and a.erased_at is null`,
)
