// Requests the description of a server of this revision (`server/discover`).

import type { Call, Description, Exchange } from '../../call/model.ts'
import { objectAt, stringAt } from '../../protocol/messages.ts'

/** Throws, with the server's message, when the request fails. */
export async function describeBy(server: Exchange, call: Call): Promise<Description> {
  const outcome = await server.start({ ...call, method: 'server/discover', params: {} })
  if (outcome.kind !== 'finished') throw new Error(outcome.kind === 'failed' ? outcome.error.message : 'No answer.')
  const instructions = stringAt(outcome.result, 'instructions')
  return {
    capabilities: objectAt(outcome.result, 'capabilities') ?? {},
    info: objectAt(objectAt(outcome.result, '_meta'), 'io.modelcontextprotocol/serverInfo') ?? {},
    ...(instructions === undefined ? {} : { instructions }),
  }
}
