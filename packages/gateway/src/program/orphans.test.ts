import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../test-kit/until.ts'
import { localPerson } from '../call/local-person.ts'
import { aDatabase, aFolder, aKey, aProcessOf, aRunningGateway } from './process.suite.ts'

const keys = createKeyRing([{ id: 'k1', secret: Buffer.from(aKey, 'base64') }])

const engines: readonly (readonly [string, () => Promise<{ store: Store; address: string }>])[] = [
  [
    'SQLite',
    async () => {
      const file = join(await aFolder(), 'assent.db')
      return { store: await openSqlite(file, { keys }), address: `sqlite:${file}` }
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const { url } = await aDatabase()
      return { store: await openPostgres(url, { keys }), address: url }
    },
  ],
]

const config = `
servers: { older: ${aProcessOf('2025-11-25')}, newest: ${aProcessOf('2026-07-28')} }
keys: { k1: "${aKey}" }
asks: { surfaces: [inbox] }`

test.each(engines)(
  '[RUN-13] after kill -9 on %s the asks of all pairs of revisions are withdrawn within seconds of a restart',
  async (_engine, open) => {
    const { store, address } = await open()
    closeAfterTest(() => store.close())
    const killed = await aRunningGateway(config, { ASSENT_STORE: address })
    for (const generation of ['2025-11-25', '2026-07-28'] as const) {
      const client = await aClient(generation, killed.url, { elicitation: 'none' })
      for (const tool of ['older__ask', 'newest__ask'])
        void client.call(tool, { questions: [whichRegion] }).catch(() => undefined)
    }
    const asks = await until(async () => {
      const open = await openAsks(store, localPerson)
      return open.length === 4 ? open : undefined
    }, 90_000)

    await killed.stop('SIGKILL')
    await aRunningGateway(config, { ASSENT_STORE: address })

    const ended = await until(async () => {
      const all = await Promise.all(asks.map(({ tenant, id }) => store.asks.read(tenant, id)))
      return all.every((ask) => ask?.state.kind !== 'open') ? all : undefined
    }, 90_000)
    for (const ask of ended) expect(ask?.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  },
  300_000,
)
