// What a server of this revision says of itself when asked.

import type { Call, Description, Exchange } from '../../relay/exchange.ts'
import { objectAt, stringAt } from '../../wire/messages.ts'

/** Throws, in the server's words, when it does not say. */
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
