// The approval of examples/deploy.ts for pictures: a client that cannot show forms calls it through a gateway.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createKeyRing } from '@assent/core'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { startGateway } from 'assent'
import { answerInInbox, firstAsk } from '../../test-kit/gateway/answer-in-inbox.ts'
import { type InboxServer, startInboxServer } from '../../test-kit/gateway/inbox-server.ts'

const example = fileURLToPath(new URL('../../examples/deploy.ts', import.meta.url))
/** To the questions before the approval. */
const answers = [{ choice: 'eu' }, { number: 4 }, { confirmed: true }]

export interface GateAsk {
  readonly id: string
  readonly inbox: InboxServer
  close(): Promise<void>
}

export async function gateAsk(): Promise<GateAsk> {
  // As `assent gateway` describes a configured server.
  const describe = () => ({ origin: 'from your configuration' })
  const inbox = await startInboxServer({ tenant: 'default', describe })
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers: { deploy: { command: process.execPath, args: ['--conditions=assent-source', example], env: {} } },
    store: inbox.store,
    keys: createKeyRing([{ id: 'pictures', secret: randomBytes(32) }]),
    identify: () => ({ principal: 'ann', groups: [] }),
    surfaces: ['client', 'inbox'],
  })
  const client = new Client({ name: 'example-agent', version: '1' })
  // The SDK's class does not match the SDK's interface under exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)) as Transport)
  const ending = new AbortController()
  const options = { signal: ending.signal, timeout: 600_000 }
  client.callTool({ name: 'deploy', arguments: { env: 'production' } }, undefined, options).catch(() => undefined)
  for (const content of answers)
    await answerInInbox(inbox.store, await firstAsk(inbox.store), { action: 'accept', content })
  const { id } = await firstAsk(inbox.store)
  return {
    id,
    inbox,
    close: async () => {
      ending.abort()
      await client.close()
      await gateway.close()
      await inbox.close()
    },
  }
}
