// Reads a request body as unambiguous JSON.
//
// Size and number of parts are limited before parsing: the parser takes up to a second for a megabyte of `[1,1,…]`.

import { isAssentError, isPlainObject, readJson } from '@assent/core'
import { outlineOf } from '../protocol/outline.ts'
import { inboxLimits } from './limits.ts'
import { problem } from './problem.ts'
import { requestRefusals } from './text/requests.ts'

export type BodyRead =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly response: Response }

export async function readJsonBody(request: Request, maxBytes: number = inboxLimits.bodyBytes): Promise<BodyRead> {
  const bytes = await readBytes(request, maxBytes)
  if (bytes === undefined) return { ok: false, response: tooLarge(maxBytes) }
  const text = bytes.toString('utf8')
  if (outlineOf(text) === undefined) {
    return { ok: false, response: problem('too-large', requestRefusals.tooManyParts) }
  }
  try {
    const body = readJson(text, { depth: inboxLimits.bodyDepth, halfPairs: 'refuse', numbers: 'exact' })
    if (isPlainObject(body)) return { ok: true, body }
  } catch (error) {
    if (!isAssentError(error)) throw error
  }
  return { ok: false, response: problem('malformed', requestRefusals.notAnObject) }
}

export function tooLarge(maxBytes: number): Response {
  return problem('too-large', requestRefusals.tooLarge(maxBytes))
}

/** Undefined when the body is too large. If Content-Length is over the limit, nothing is read. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
