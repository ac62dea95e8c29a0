// Reads a request as JSON and replies with JSON, for the servers of proofs.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Undefined if the sender disconnected or the body is not JSON. */
export async function readJson<Said>(request: IncomingMessage): Promise<Said | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return JSON.parse(Buffer.concat(chunks).toString()) as Said
  } catch {
    // The caller gets undefined; proofs kill gateways during requests.
    return undefined
  }
}

export function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
