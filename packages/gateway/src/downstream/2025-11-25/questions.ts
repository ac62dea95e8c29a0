// Questions as a client of the sessionful revisions understands them: requests pushed down to it.

import { randomUUID } from 'node:crypto'
import { encodeForm, type JsonObject } from '@assent/core'
import type { Wanted } from '../../relay/exchange.ts'
import { readKnownForm } from '../../relay/judge-wanted.ts'
import { shownSchema } from '../../relay/shown-schema.ts'
import { type Notification, stringAt } from '../../wire/messages.ts'

export type Pushed = { readonly method: string; readonly params: JsonObject }

/** Undefined when this revision has no way to ask it. */
export function pushedQuestion(wanted: Wanted, revision: string): Pushed | undefined {
  switch (wanted.kind) {
    case 'sampling':
      return { method: 'sampling/createMessage', params: wanted.params }
    case 'roots':
      return { method: 'roots/list', params: wanted.params }
    case 'url':
      if (revision < '2025-11-25') return undefined
      // Servers of the newest revision have no id to give; the client needs one to tell its pages apart.
      return { method: 'elicitation/create', params: { ...wanted.params, elicitationId: pageId(wanted), mode: 'url' } }
    case 'form':
      return revision < '2025-11-25'
        ? olderForm(wanted)
        : {
            method: 'elicitation/create',
            params: { ...wanted.params, requestedSchema: shownSchema(wanted.schema, '2025-11-25') },
          }
  }
}

function pageId({ params, secret }: Wanted & { kind: 'url' }): string {
  return stringAt(params, 'elicitationId') ?? secret?.page ?? randomUUID()
}

/** What the client is told when a page of ours was used; of other pages their server tells. */
export function pageDone(wanted: Wanted, revision: string): Notification[] {
  if (wanted.kind !== 'url' || wanted.secret === undefined || revision < '2025-11-25') return []
  const params = { elicitationId: pageId(wanted) }
  return [{ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params }]
}

/** Before 2025-11-25 there were no modes, and labels were spelled in another way. */
function olderForm({ schema, params }: Wanted & { kind: 'form' }): Pushed | undefined {
  const read = readKnownForm(schema)
  const encoded = read.ok ? encodeForm(read.form, '2025-06-18') : undefined
  if (encoded?.ok !== true) return undefined
  const { mode: _mode, ...rest } = params
  return { method: 'elicitation/create', params: { ...rest, requestedSchema: encoded.schema } }
}
