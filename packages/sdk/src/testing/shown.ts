// Reads a question from the request's parameters, as a client would show it.

import { isPlainObject } from '@assent/core'
import type { ShownQuestion } from './person.ts'

export function shownOf(params: unknown): ShownQuestion {
  const { mode, message, url, requestedSchema } = isPlainObject(params) ? params : {}
  const properties = isPlainObject(requestedSchema) ? requestedSchema.properties : undefined
  return {
    mode: mode === 'url' ? 'url' : 'form',
    message: String(message),
    fields: isPlainObject(properties) ? properties : {},
    ...(typeof url === 'string' ? { url } : {}),
  }
}
