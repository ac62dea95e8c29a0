// Encodes questions for clients of the session-based revisions: as requests that the gateway sends to the client.

import { randomUUID } from 'node:crypto'
import { encodeForm, type JsonObject } from '@assent/core'
import type { InputRequest } from '../../call/model.ts'
import { readKnownForm } from '../../call/screen/screen-questions.ts'
import { shownSchema } from '../../call/screen/shown-schema.ts'
import { type Notification, stringAt } from '../../protocol/messages.ts'

export type Pushed = { readonly method: string; readonly params: JsonObject }

/** Undefined when this revision cannot express the question. */
export function pushedQuestion(wanted: InputRequest, revision: string): Pushed | undefined {
  switch (wanted.kind) {
    case 'sampling':
      return { method: 'sampling/createMessage', params: wanted.params }
    case 'roots':
      return { method: 'roots/list', params: wanted.params }
    case 'url':
      if (revision < '2025-11-25') return undefined
      // Servers of the newest revision send no id; the client needs one to distinguish its pages.
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

function pageId({ params, secret }: InputRequest & { kind: 'url' }): string {
  return stringAt(params, 'elicitationId') ?? secret?.page ?? randomUUID()
}

/** The notification that a page of the gateway was completed. For other pages, their server sends it. */
export function pageDone(wanted: InputRequest, revision: string): Notification[] {
  if (wanted.kind !== 'url' || wanted.secret === undefined || revision < '2025-11-25') return []
  const params = { elicitationId: pageId(wanted) }
  return [{ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params }]
}

/** Before 2025-11-25 there were no modes, and labels had another encoding. */
function olderForm({ schema, params }: InputRequest & { kind: 'form' }): Pushed | undefined {
  const read = readKnownForm(schema)
  const encoded = read.ok ? encodeForm(read.form, '2025-06-18') : undefined
  if (encoded?.ok !== true) return undefined
  const { mode: _mode, ...rest } = params
  return { method: 'elicitation/create', params: { ...rest, requestedSchema: encoded.schema } }
}
