// When the database is away, or breaks off in the middle, nobody is told a yes that is not kept.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres, openSqlite } from '../index.ts'
import { accept, aForm, anApproval, ann, inEurope } from './drafts.suite.ts'
import { onPostgres, onSqlite, postgresUrl } from './engines.suite.ts'

/** Between the store and PostgreSQL: passes bytes on until told to break. */
interface Wire {
  readonly url: string
  /** The next time the store sends this text, let it through to the server but lose everything that comes back. */
  loseReplyTo(text: string): void
  /** The next time the store sends this text, break before the server sees it. */
  loseRequest(text: string): void
  refuseConnections(refuse: boolean): void
  close(): Promise<void>
}

async function aWire(): Promise<Wire> {
  const target = new URL(postgresUrl)
  const sockets = new Set<Socket>()
  let breakAt: { text: string; passOn: boolean } | undefined
  let isRefusing = false
  const server: Server = createServer((client) => {
    if (isRefusing) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    upstream.on('data', (bytes) => client.write(bytes)).on('end', () => client.end())
    client.on('end', () => upstream.end())
    client.on('data', (bytes) => {
      if (breakAt === undefined || !bytes.includes(breakAt.text)) return upstream.write(bytes)
      const { passOn } = breakAt
      breakAt = undefined
      upstream.removeAllListeners('data')
      if (!passOn) return client.destroy()
      // The server answers, so it has committed; the store never hears of it.
      upstream.once('data', () => client.destroy())
      return upstream.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(postgresUrl), { host: `127.0.0.1:${port}` }).href,
    loseReplyTo: (text) => {
      breakAt = { text, passOn: true }
    },
    loseRequest: (text) => {
      breakAt = { text, passOn: false }
    },
    refuseConnections: (refuse) => {
      isRefusing = refuse
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function overAWire(
  run: (wire: Wire, store: Awaited<ReturnType<typeof openPostgres>>) => Promise<void>,
): Promise<void> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const wire = await aWire()
  const store = await openPostgres(wire.url, { schema, connections: 2, connectTimeoutMs: 2_000 })
  try {
    await run(wire, store)
  } finally {
    await store.close()
    await wire.close()
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`drop schema ${schema} cascade`)
    await admin.end()
  }
}

test('[STORE-15] a connection that breaks after the commit does not lose or double the decision', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.loseReplyTo('answer_ask')

    const answered = await store.asks.answer({
      tenant,
      id,
      person: ann,
      via: 'inbox',
      answer: accept,
      decisionId: 'd1',
    })

    expect(answered).toMatchObject({ kind: 'settled', ask: { state: { decisionId: 'd1' } } })
    expect(await store.grants.read(tenant, id)).toBeDefined()
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-15] a connection that breaks before the server heard is told as trouble, and nothing happened', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.loseRequest('answer_ask')

    const answered = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

    await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
    expect(await store.grants.read(tenant, id)).toBeUndefined()
  }))

test('[STORE-15] while the database is away nothing is a yes, and afterwards all goes on', () =>
  overAWire(async (wire, store) => {
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    wire.refuseConnections(true)
    const request = { tenant, id, person: ann, via: 'inbox', answer: accept } as const
    const grant = { tenant, id: 'x', digest: 'x', principal: 'ann', usedBy: 'x' }

    await expect(store.asks.answer(request)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.asks.raise(aForm())).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.use(grant)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.grants.useState(tenant, 's', 0)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.audit.append(tenant, [{ subject: 'x', body: {} }])).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    wire.refuseConnections(false)
    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
  }))

test('[STORE-15] a database that cannot be reached is named at the start', async () => {
  await expect(openPostgres('postgres://root@127.0.0.1:1/test')).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect(openPostgres(postgresUrl, { schema: 'Drop; Table' })).rejects.toMatchObject({ code: 'misconfigured' })
})

test('[STORE-15] a statement that takes too long is given up (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const schema = ((await tamper('select current_schema() as name')) as { name: string }[])[0]?.name ?? ''
    const hasty = await openPostgres(postgresUrl, { schema, statementTimeoutMs: 200 })
    const locker = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    await locker.connect()
    try {
      await locker.query('begin')
      await locker.query('select * from asks for update')

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      await locker.end()
      await hasty.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a network that has gone silent is given up too, and nothing waits for it without end (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const schema = ((await tamper('select current_schema() as name')) as { name: string }[])[0]?.name ?? ''
    const real = new URL(postgresUrl)
    const ends: Socket[] = []
    let isSilent = false
    const server = createServer((near) => {
      const far = connect(Number(real.port), real.hostname)
      for (const end of [near, far]) end.on('error', () => undefined)
      ends.push(near, far)
      near.on('data', (bytes) => void (isSilent || far.write(bytes)))
      far.on('data', (bytes) => void (isSilent || near.write(bytes)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const wired = new URL(postgresUrl)
    wired.port = String((server.address() as AddressInfo).port)
    const hasty = await openPostgres(wired.href, { schema, statementTimeoutMs: 300, connectTimeoutMs: 300 })
    try {
      await hasty.asks.read(tenant, id)
      isSilent = true

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
    } finally {
      server.close()
      for (const end of ends) end.destroy()
      await hasty.close()
    }
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
  }))

test('[STORE-15] a file that another process keeps locked is told as trouble, and nothing happened (SQLite)', () =>
  onSqlite(async ({ open, path }) => {
    const patient = await open()
    const { tenant, id } = await patient.asks.raise(aForm())
    const hasty = await openSqlite(path, { busyTimeoutMs: 50 })
    const locker = new DatabaseSync(path)
    try {
      locker.exec('begin immediate')

      const answered = hasty.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

      await expect(answered).rejects.toMatchObject({ code: 'store_unavailable' })
      locker.exec('rollback')
    } finally {
      locker.close()
      await hasty.close()
    }
    expect((await patient.asks.read(tenant, id))?.state.kind).toBe('open')
  }))
