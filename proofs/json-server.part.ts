// What every server of a proof does: read a request as JSON, answer with JSON.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Undefined when whoever sent it broke off, or sent no JSON: no tool runs on that. */
export async function readJson<Said>(request: IncomingMessage): Promise<Said | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return JSON.parse(Buffer.concat(chunks).toString()) as Said
  } catch {
    // Told by the caller having nothing; gateways are killed in the middle of requests here.
    return undefined
  }
}

export function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
