import { atomic } from '../engine/statement.ts'
import { type RecordedParams, recorded } from './recorded.ts'

export type NoteParams = RecordedParams & { tenant: string; subject: string; kind: string }

/** Records an event that changed none of our rows, such as a question that passed through. */
export const appendEntry = atomic<NoteParams, { id: string }>(
  'append_entry',
  {
    name: 'noted',
    returns: ['tenant', 'id', 'log_counter'],
    selects: ['id'],
    sql: 'select cast(:tenant as text) as tenant, cast(:subject as text) as id, 0 as log_counter',
  },
  recorded('noted', 'cast(:kind as text)'),
)
