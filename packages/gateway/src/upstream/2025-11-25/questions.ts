// The questions a server of the sessionful revisions sends in the middle of a call, in the relay's words.

import type { JsonObject } from '@assent/core'
import { isPlainObject } from '@assent/core'
import type { Wanted } from '../../relay/exchange.ts'
import { type Request, stringAt } from '../../wire/messages.ts'
import { decidingNames } from '../../wire/spelling-2026-07-28.ts'

/** Undefined for a request that is no question of a kind we know. */
export function readQuestion({ method, params = {} }: Request): Wanted | undefined {
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

/** Also the shape of a question in the newest revision, which took it over. */
export function readElicitation(params: JsonObject): Wanted | undefined {
  const message = stringAt(params, 'message')
  const mode = Object.hasOwn(params, 'mode') ? params.mode : 'form'
  // What is judged here must be what the client reads.
  if (message === undefined || decidingNames.question.hasLookAlike(params)) return undefined
  if (mode === 'form') return { kind: 'form', message, schema: params.requestedSchema ?? null, params }
  const url = stringAt(params, 'url')
  return mode === 'url' && url !== undefined ? { kind: 'url', message, url, params } : undefined
}

/** The links that a `-32042` error wants followed before the call is made again; undefined when it is malformed. */
export function readUrlsNeeded(data: unknown): Record<string, Wanted> | undefined {
  const list = isPlainObject(data) ? data.elicitations : undefined
  if (!Array.isArray(list) || list.length === 0) return undefined
  const wanted: Record<string, Wanted> = {}
  for (const [index, item] of list.entries()) {
    const question = isPlainObject(item) ? readElicitation(item as JsonObject) : undefined
    if (question?.kind !== 'url') return undefined
    wanted[`url_${index + 1}`] = question
  }
  return wanted
}
