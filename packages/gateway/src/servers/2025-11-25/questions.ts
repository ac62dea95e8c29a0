// Decodes the questions that a session-based server sends during a call into `InputRequest`s.

import type { JsonObject } from '@assent/core'
import { isPlainObject } from '@assent/core'
import type { InputRequest } from '../../call/model.ts'
import { type Request, stringAt } from '../../protocol/messages.ts'
import { decidingNames } from '../../protocol/spelling-2026-07-28.ts'

/** Undefined for a request that is not a known kind of question. */
export function readQuestion({ method, params = {} }: Request): InputRequest | undefined {
  switch (method) {
    case 'elicitation/create':
      return readElicitation(params)
    case 'sampling/createMessage':
      return { kind: 'sampling', params }
    case 'roots/list':
      return { kind: 'roots', params }
    default:
      return undefined
  }
}

/** The newest revision uses the same format. */
export function readElicitation(params: JsonObject): InputRequest | undefined {
  const message = stringAt(params, 'message')
  const mode = Object.hasOwn(params, 'mode') ? params.mode : 'form'
  // What is screened here must be what the client reads.
  if (message === undefined || decidingNames.question.hasLookAlike(params)) return undefined
  if (mode === 'form') return { kind: 'form', message, schema: params.requestedSchema ?? null, params }
  const url = stringAt(params, 'url')
  return mode === 'url' && url !== undefined ? { kind: 'url', message, url, params } : undefined
}

/** The links of a `-32042` error, to be opened before the call is made again; undefined when it is malformed. */
export function readUrlsNeeded(data: unknown): Record<string, InputRequest> | undefined {
  const list = isPlainObject(data) ? data.elicitations : undefined
  if (!Array.isArray(list) || list.length === 0) return undefined
  const wanted: Record<string, InputRequest> = {}
  for (const [index, item] of list.entries()) {
    const question = isPlainObject(item) ? readElicitation(item as JsonObject) : undefined
    if (question?.kind !== 'url') return undefined
    wanted[`url_${index + 1}`] = question
  }
  return wanted
}
