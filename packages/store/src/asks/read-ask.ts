import { query } from '../engine/statement.ts'
import { type AskRow, askColumns } from './ask-row.ts'

export const readAsk = query<{ tenant: string; id: string }, AskRow>(
  'read_ask',
  `select ${askColumns} from asks a where a.tenant = :tenant and a.id = :id`,
)
