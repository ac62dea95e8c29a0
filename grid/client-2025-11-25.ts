// A connection of the SDK 1.x client, which is pushed its questions.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { transportTo, withStream } from '../test-kit/mcp/client-2025-11-25.ts'
import type { Connect } from './connection.ts'
import { garbled, type Question } from './person.ts'
import { waits } from './settings.ts'

export const connect: Connect = async (to, { answer, completed }, { revision, formOnly }) => {
  const plain = revision !== undefined || formOnly === true
  const client = new Client(
    { name: 'grid-2025', version: '1.0.0' },
    { capabilities: { elicitation: plain ? {} : { form: {}, url: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as Question))
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => completed(params.elicitationId))
  const stream = withStream(to)
  const transport = transportTo(stream.to)
  const negotiated = rewrite(transport, revision)
  await client.connect(transport)
  await stream.isOpen

  const options = { timeout: waits.callMs }
  return {
    revision: () => negotiated.revision,
    tool: (name, args) => client.callTool({ name, arguments: args }, undefined, options),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }, options),
    resource: (uri) => client.readResource({ uri }, options),
    close: () => client.close(),
  }
}

/** The SDK always opens with its newest revision, so an older client is this one with the date changed on the wire. */
function rewrite(transport: Transport, revision: string | undefined): { revision: string } {
  const negotiated = { revision: '' }
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(garbled(dated(message, revision)), options)
  const set = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    negotiated.revision = version
    set?.(version)
  }
  return negotiated
}

function dated(message: JSONRPCMessage, revision: string | undefined): JSONRPCMessage {
  if (revision === undefined || !('method' in message) || message.method !== 'initialize') return message
  return { ...message, params: { ...message.params, protocolVersion: revision } }
}
