// Attempts through the programs that an agent can really use: the terminal inbox in a terminal, and MCP clients of both
// generations at a gateway. Each begins with an ask that needs no passkey, to show that the attempt could succeed.
import { type Gateway, startGateway } from 'assent'
import { openTmux } from '../../packages/sdk/src/terminal/tmux.suite.ts'
import { listen } from '../../test-kit/listen.ts'
import { Count, newestServer, olderServer, type Question } from '../../test-kit/mcp/asking-tools.ts'
import { connectClient } from '../../test-kit/mcp/client.ts'
import { serveSessions } from '../../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { until } from '../../test-kit/until.ts'
import { local, main, openPresenceEnv, type PresenceEnv, tenant } from './test-env.ts'

export interface Attempts {
  readonly tried: number
  readonly succeeded: readonly string[]
}

/** `assent inbox` in a real terminal, with the keys of a person. */
export async function throughTerminal(attempts: number): Promise<Attempts> {
  const env = await openPresenceEnv()
  const terminal = openTmux({ file: main, args: ['inbox', '--config', env.files.config], columns: 100 })
  const press = async (id: string, result: string) => {
    await terminal.sees('enter opens')
    // The newest one: the cursor is still on the one before, which has ended.
    await terminal.press('g', 'Enter')
    await terminal.sees('esc leaves it open')
    await terminal.press('y', 'Enter')
    await terminal.sees(result)
    return isAccepted(env, id)
  }
  try {
    await terminal.sees('Nothing is waiting for you.')
    const { id } = await env.raise({}, false)
    await terminal.sees('1 waiting')
    if (!(await press(id, 'from the terminal'))) throw new Error('The terminal inbox accepts nothing.')
    const succeeded: string[] = []
    for (let time = 0; time < attempts; time++) {
      const ask = await env.raise()
      await terminal.sees('1 waiting')
      if (await press(ask.id, 'passkey')) succeeded.push('the terminal inbox in a terminal')
      await env.store.asks.withdraw(tenant, ask.id, 'asker-stopped')
      await terminal.sees('0 waiting')
    }
    return { tried: attempts, succeeded }
  } finally {
    terminal.close()
    await env.close()
  }
}

const surfaces = ['client', 'inbox'] as const
const mayI: Question = {
  mode: 'form',
  message: 'Roll out?',
  requestedSchema: { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] },
}
const accept = { action: 'accept', content: { approved: true } }

/** Clients that answer the question with an accept at once, also one that they got before a passkey was needed. */
export async function throughClients(attempts: number): Promise<Attempts> {
  const succeeded: string[] = []
  for (const generation of ['2025-11-25', '2026-07-28'] as const) {
    const env = await openPresenceEnv()
    const count = new Count()
    const listener =
      generation === '2025-11-25'
        ? serveSessions(() => olderServer(count)).listener
        : serveRequests(() => newestServer(count))
    const server = await listen(listener)
    const options = {
      ...{ surfaces, unseenAfterMs: 0, store: env.store, keys: env.keys },
      servers: { deploy: { url: server.url } },
      identify: () => local,
    }
    const gateway = await startGateway({ ...options, listen: { host: '127.0.0.1', port: 0 } })
    try {
      const attempt = (needsPasskey: boolean) => callOnce(gateway, options, env, count, generation, needsPasskey)
      if (!(await attempt(false))) throw new Error(`A client of ${generation} can accept nothing.`)
      for (let time = 0; time < attempts; time++)
        if (await attempt(true)) succeeded.push(`an MCP client of ${generation}`)
    } finally {
      await gateway.close()
      await server.close()
      await env.close()
    }
  }
  return { tried: 2 * attempts, succeeded }
}

type Reloadable = Parameters<Gateway['reload']>[0]

/** Whether the server received the client's accept. The setting is raised while the client shows the question. */
async function callOnce(
  gateway: Gateway,
  options: Omit<Reloadable, 'presence'>,
  env: PresenceEnv,
  count: Count,
  generation: '2025-11-25' | '2026-07-28',
  needsPasskey: boolean,
): Promise<boolean> {
  gateway.reload({ ...options, presence: 'none' })
  count.saw = []
  const answer = () => {
    if (needsPasskey) gateway.reload({ ...options, presence: 'approvals' })
    return accept
  }
  const client = await connectClient(generation, { url: gateway.url }, { answer, timeoutMs: 120_000 })
  const calling = client.call('ask', { questions: [mayI] })
  try {
    if (needsPasskey) {
      const open = await until(async () => (await openAsks(env))[0])
      // An accept that counted would have reached the server by now.
      await new Promise((resolve) => setTimeout(resolve, 300))
      await env.store.asks.withdraw(tenant, open.id, 'asker-stopped')
    }
    await calling
    return JSON.stringify(count.saw).includes('accept')
  } finally {
    await client.close()
  }
}

async function openAsks({ store }: PresenceEnv) {
  const { asks } = await store.inbox.page({ tenant, person: local, show: 'open' })
  return asks
}

async function isAccepted({ store }: PresenceEnv, id: string): Promise<boolean> {
  const ask = await store.asks.read(tenant, id)
  return ask?.state.kind === 'settled' && ask.state.answer.action === 'accept'
}
