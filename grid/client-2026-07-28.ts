// A connection of the SDK 2.x client, which finds its questions in the result and calls again with the answers.

import { Client } from '@modelcontextprotocol/client'
import { transportTo } from '../test-kit/mcp/client-2026-07-28.ts'
import type { Connect } from './connection.ts'
import { garbled, type Question } from './person.ts'
import { waits } from './settings.ts'

const revision = '2026-07-28'

export const connect: Connect = async (to, { answer }, { formOnly = false }) => {
  const elicitation = formOnly ? { form: {} } : { form: {}, url: {} }
  const client = new Client(
    { name: 'grid-2026', version: '1.0.0' },
    { capabilities: { elicitation }, versionNegotiation: { mode: { pin: revision } } },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => answer(params as Question))
  const transport = transportTo(to)
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(garbled(message), options)
  await client.connect(transport)

  const options = { timeout: waits.callMs }
  return {
    revision: () => client.getNegotiatedProtocolVersion() ?? '',
    tool: (name, args) => client.callTool({ name, arguments: args }, options),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }, options),
    resource: (uri) => client.readResource({ uri }, options),
    close: () => client.close(),
  }
}
