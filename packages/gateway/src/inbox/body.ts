// The body of a request, as JSON that can be read in one way only, within its limit.

import { isAssentError, isPlainObject, readJson } from '@assent/core'
import { inboxLimits } from '../limits.ts'
import { problem } from './problem.ts'

export type BodyRead =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly response: Response }

export async function readJsonBody(request: Request): Promise<BodyRead> {
  const text = await readText(request)
  if (text === undefined) return { ok: false, response: problem('too-large', 'This is more than an answer can hold.') }
  try {
    const body = readJson(text, { depth: inboxLimits.bodyDepth, halfPairs: 'refuse', numbers: 'exact' })
    if (isPlainObject(body)) return { ok: true, body }
  } catch (error) {
    if (!isAssentError(error)) throw error
  }
  return { ok: false, response: problem('malformed', 'The body is not a JSON object.') }
}

async function readText(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > inboxLimits.bodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
