// Connections that break while a step runs: the step happens once, and its caller gets its result.

import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres, type Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann, inEurope, minuteMs, testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'
import { aTcpProxy, overTcpProxy } from './tcp-proxy.suite.ts'

const tenant = 'acme'
const call = {
  tenant,
  principal: 'ann',
  server: 'deploy',
  method: 'tools/call',
  requestDigest: 'sha256:0',
  owner: 'gateway-1',
}
const signingIn = { tenant, keepMs: minuteMs, atMost: 1, atMostOfOne: 1 }

interface Step {
  readonly text: string
  /**
   * Prepares the step, and returns the part during which the connection breaks, with its assertions. Limits are set to one, so
   * that a repeated step would exceed them if it counted twice.
   */
  readonly begin: (store: Store) => Promise<() => Promise<void>>
}

const steps: Record<string, Step> = {
  'raising an ask': {
    text: 'raise_ask_1',
    begin: async (store) => {
      await store.asks.raise(aForm())
      const draft = aForm()
      return async () => {
        expect(await store.asks.raise(draft)).toMatchObject({ id: draft.id, state: { kind: 'open' } })
        expect((await store.inbox.page({ tenant, person: ann, show: 'open' })).asks).toHaveLength(2)
        expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
      }
    },
  },
  'answering it': {
    text: 'answer_ask',
    begin: async (store) => {
      const { id } = await store.asks.raise(aForm())
      return async () => {
        const request = { tenant, id, person: ann, via: 'inbox', answer: inEurope } as const
        expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
        expect(await store.asks.read(tenant, id)).toMatchObject({ state: { kind: 'settled', by: 'ann' } })
        expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
      }
    },
  },
  'withdrawing it': {
    text: 'end_ask',
    begin: async (store) => {
      const { id } = await store.asks.raise(aForm())
      return async () => {
        const ended = await store.asks.withdraw(tenant, id, 'call-cancelled')
        expect(ended).toMatchObject({ ask: { state: { kind: 'withdrawn', reason: 'call-cancelled' } } })
        expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
      }
    },
  },
  'beginning a call': {
    text: 'begin_call',
    begin: async (store) => {
      const id = anId('call')
      await store.replicas.renew(call.owner, minuteMs)
      return async () => {
        await store.calls.begin({ ...call, id })
        expect(await store.calls.read(tenant, id, 'ann')).toMatchObject({ state: { kind: 'running' } })
      }
    },
  },
  'finishing it': {
    text: 'finish_call',
    begin: async (store) => {
      const id = anId('call')
      await store.replicas.renew(call.owner, minuteMs)
      await store.calls.begin({ ...call, id })
      return async () => {
        expect(await store.calls.finish(tenant, id, 'gateway-1', 'done')).toBe(true)
        expect(await store.calls.finish(tenant, id, 'gateway-1', 'other')).toBe(false)
        expect(await store.calls.read(tenant, id, 'ann')).toMatchObject({ state: { outcome: 'done' } })
      }
    },
  },
  'renewing a lease that has ended': {
    text: 'renew_replica',
    begin: async (store) => async () => {
      // Not reported as valid, although the repeated run found the lease of the first.
      expect(await store.replicas.renew('gateway-1', minuteMs)).toBe(false)
      expect(await store.replicas.renew('gateway-1', minuteMs)).toBe(true)
    },
  },
  'using a grant in an attempt': {
    text: 'use_grant',
    begin: async (store) => {
      const { id } = await store.asks.raise(anApproval(['person:ann'], 1))
      await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
      const grant = await store.grants.read(tenant, id)
      return async () => {
        const use = { tenant, id: grant?.id ?? '', digest: grant?.digest ?? '', principal: 'ann', usedBy: 'gateway-1' }
        expect(await store.grants.use({ ...use, attempt: 'attempt-1' })).toEqual(grant)
        expect(await store.grants.use({ ...use, attempt: 'attempt-2' })).toBeUndefined()
      }
    },
  },
  'deferring a call': {
    text: 'defer_call',
    begin: async (store) => async () => {
      const id = anId()
      await store.deferred.keep({ tenant, id, principal: 'ann', state: 'sealed', keepMs: minuteMs })
      expect(await store.deferred.read(tenant, id, 'ann')).toEqual({ kind: 'waiting', state: 'sealed' })
    },
  },
  'claiming it': {
    text: 'claim_deferred',
    begin: async (store) => {
      const id = anId()
      await store.deferred.keep({ tenant, id, principal: 'ann', state: 'sealed', keepMs: minuteMs })
      return async () => {
        expect(await store.deferred.claim(tenant, id, 'ann', 'gateway-1')).toBe(true)
        expect(await store.deferred.claim(tenant, id, 'ann', 'gateway-1')).toBe(false)
      }
    },
  },
  'storing its outcome': {
    text: 'finish_deferred',
    begin: async (store) => {
      const id = anId()
      await store.deferred.keep({ tenant, id, principal: 'ann', state: 'sealed', keepMs: minuteMs })
      return async () => {
        await store.deferred.finish(tenant, id, 'done')
        expect(await store.deferred.read(tenant, id, 'ann')).toEqual({ kind: 'finished', outcome: 'done' })
      }
    },
  },
  'beginning a client session': {
    text: 'begin_client_session',
    begin: async (store) => async () => {
      const name = { tenant, id: 's1', principal: 'ann' }
      const record = { revision: '2025-11-25', client: '{}', owner: 'a' }
      expect(await store.sessions.begin(name, record, { keepMs: minuteMs, perPrincipal: 1 })).toBe(true)
      expect(await store.sessions.read(name)).toEqual(record)
    },
  },
  'storing a sign-in link': {
    text: 'keep_sign_in_link',
    begin: async (store) => async () => {
      expect(await store.signIns.addLink({ tenant, code: 'c', person: ann, keepMs: minuteMs, atMost: 1 })).toBe(true)
      expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 't' })).toBe('begun')
    },
  },
  'redeeming it': {
    text: 'redeem_sign_in_link',
    begin: async (store) => {
      await store.signIns.addLink({ tenant, code: 'c', person: ann, keepMs: minuteMs, atMost: 10 })
      return async () => {
        expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 't' })).toBe('begun')
        expect(await store.signIns.readSession(tenant, 't')).toMatchObject({ person: ann })
        expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 'other' })).toBe('used')
      }
    },
  },
  'signing in at an issuer': {
    text: 'start_session',
    begin: async (store) => async () => {
      const login = { ...signingIn, login: 'l', person: ann }
      expect(await store.signIns.begin({ ...login, token: 't' })).toBe('begun')
      expect(await store.signIns.readSession(tenant, 't')).toMatchObject({ person: ann })
      expect(await store.signIns.begin({ ...login, token: 'other' })).toBe('used')
    },
  },
}

/** Statements that check the database before a store is opened on it. */
const opening = ['pg_backend_pid', 'has_schema_privilege', 'has_table_privilege(c.oid, needed', 'transaction_read_only']

const cases = Object.entries(steps).flatMap(([name, step]) => [
  { name, lost: 'request', ...step },
  { name, lost: 'reply', ...step },
])

test.each(cases)(
  '[STORE-31] $name happens once and is reported as done, although its $lost was lost (PostgreSQL)',
  (one) =>
    overTcpProxy(async (proxy, store) => {
      const rest = await one.begin(store)
      if (one.lost === 'request') proxy.loseRequest(one.text)
      else proxy.loseReplyTo(one.text)

      await rest()

      expect(proxy.hasBroken).toBe(true)
    }),
)

test('[STORE-31] a step that cannot be repeated safely is not repeated, and fails with an error (PostgreSQL)', () =>
  overTcpProxy(async (proxy, store) => {
    proxy.loseReplyTo('use_id')

    await expect(store.grants.useState(tenant, 's1', Date.now())).rejects.toMatchObject({ code: 'store_unavailable' })

    expect(await store.grants.useState(tenant, 's1', Date.now())).toBe(false)
  }))

test('[STORE-31] a delayed answer that arrives after its repetition changes nothing (PostgreSQL)', () =>
  overTcpProxy(async (proxy, store) => {
    const { id } = await store.asks.raise(aForm())
    const answering = proxy.delayRequest('answer_ask')
    const request = { tenant, id, person: ann, via: 'inbox', answer: inEurope, decisionId: 'd1' } as const

    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
    await answering.arrive()

    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-33] a connection that breaks inside a transaction ends the transaction, not the process (PostgreSQL)', () =>
  overTcpProxy(async (proxy, store) => {
    const notes = [1, 2].map((body) => ({ subject: 's', body }))
    await store.audit.append(tenant, notes)
    for (const text of ['begin\0', 'append_entry', 'commit']) {
      proxy.loseRequest(text)

      // An error event without a listener would end this process.
      const appended = store.audit.append(tenant, notes)
      await expect(appended).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(proxy.hasBroken).toBe(true)
    }
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-33] a connection that breaks at the start causes an error, not the end of the process (PostgreSQL)', () =>
  overTcpProxy(async (_proxy, _store, schema) => {
    const another = `${schema}_new`
    // Its own proxy: the other store may open a new connection at any time, and that one would break instead.
    const proxy = await aTcpProxy()
    onTestFinished(() => proxy.close())
    const migrating = ['pg_try_advisory_lock', 'create schema', 'from migrations']
    for (const text of [...migrating, ...opening, 'set_config']) {
      proxy.loseRequest(text)
      await expect(openPostgres(proxy.url, { keys: testKeys, schema: another }), text).rejects.toMatchObject({
        code: 'store_unavailable',
      })
      expect(proxy.hasBroken, text).toBe(true)
    }
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`drop schema ${another} cascade`)
    await admin.end()
  }))

test('[STORE-33] a database that stops answering while a store is opened causes an error (PostgreSQL)', () =>
  overTcpProxy(async (_proxy, _store, schema) => {
    const proxy = await aTcpProxy()
    onTestFinished(() => proxy.close())
    const options = { keys: testKeys, schema, connectTimeoutMs: 100, statementTimeoutMs: 100 }
    for (const text of [...opening, 'health_check']) {
      proxy.neverAnswer(text)
      await expect(openPostgres(proxy.url, options), text).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(proxy.hasBroken, text).toBe(true)
    }
  }))

test('[STORE-33] a read-only server causes an error, and its connections are replaced (PostgreSQL)', () =>
  overTcpProxy(async (proxy, _, schema) => {
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`create role ${schema} superuser login`)
    const store = await openPostgres(as(proxy.url, schema), { keys: testKeys, schema })
    try {
      // Like a standby before it takes over, or a former primary.
      await admin.query(`alter role ${schema} set default_transaction_read_only = on`)
      proxy.refuseConnections(true)
      proxy.refuseConnections(false)
      await expect(store.asks.raise(aForm())).rejects.toMatchObject({ code: 'store_unavailable' })
      const note = [{ subject: 's', body: {} }]
      await expect(store.audit.append(tenant, note)).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(openPostgres(as(postgresUrl, schema), { keys: testKeys, schema })).rejects.toMatchObject({
        code: 'store_unavailable',
      })

      await admin.query(`alter role ${schema} reset default_transaction_read_only`)
      await store.audit.append(tenant, note)
      expect(await store.asks.raise(aForm())).toMatchObject({ state: { kind: 'open' } })
    } finally {
      await store.close()
      await admin.query(`drop role ${schema}`)
      await admin.end()
    }
  }))

function as(url: string, role: string): string {
  return Object.assign(new URL(url), { username: role }).href
}
