// Connections that break while a step is under way: what the step did is found out, and it is done once.

import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres, type Store } from '../index.ts'
import { aForm, anId, ann, inEurope, minuteMs, testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'
import { overAWire } from './wire.suite.ts'

const tenant = 'acme'
const never = new AbortController().signal
const limits = { keepMs: minuteMs, inBox: 100, ofOne: 50 }
const call = {
  tenant,
  principal: 'ann',
  server: 'deploy',
  method: 'tools/call',
  requestDigest: 'sha256:0',
  owner: 'gateway-1',
  leaseMs: minuteMs,
}
const signingIn = { tenant, keepMs: minuteMs, atMost: 1, atMostOfOne: 1 }

interface Step {
  readonly text: string
  /**
   * Up to the moment at which the connection shall break; returns the rest, with what must be true after it. Where there
   * is a limit it is one: what was done already must not be in its own way.
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
    begin: async (store) => async () => {
      const id = anId('call')
      await store.calls.begin({ ...call, id })
      expect(await store.calls.read(tenant, id, 'ann')).toMatchObject({ state: { kind: 'running' } })
    },
  },
  'finishing it': {
    text: 'finish_call',
    begin: async (store) => {
      const id = anId('call')
      await store.calls.begin({ ...call, id })
      return async () => {
        expect(await store.calls.finish(tenant, id, 'gateway-1', 'done')).toBe(true)
        expect(await store.calls.finish(tenant, id, 'gateway-1', 'other')).toBe(false)
        expect(await store.calls.read(tenant, id, 'ann')).toMatchObject({ state: { outcome: 'done' } })
      }
    },
  },
  'putting a call off': {
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
        const callId = anId('call')
        expect(await store.deferred.claim(tenant, id, 'ann', callId)).toBe(true)
        expect(await store.deferred.claim(tenant, id, 'ann', callId)).toBe(false)
      }
    },
  },
  'keeping what came of it': {
    text: 'finish_deferred',
    begin: async (store) => {
      const id = anId()
      await store.deferred.keep({ tenant, id, principal: 'ann', state: 'sealed', keepMs: minuteMs })
      await store.deferred.claim(tenant, id, 'ann', anId('call'))
      return async () => {
        await store.deferred.finish(tenant, id, 'done')
        expect(await store.deferred.read(tenant, id, 'ann')).toEqual({ kind: 'finished', outcome: 'done' })
      }
    },
  },
  'beginning a session of a client': {
    text: 'begin_client_session',
    begin: async (store) => async () => {
      const name = { tenant, id: 's1', principal: 'ann' }
      const record = { revision: '2025-11-25', client: '{}' }
      expect(await store.sessions.begin(name, record, { keepMs: minuteMs, perPrincipal: 1 })).toBe(true)
      expect(await store.sessions.read(name)).toEqual(record)
    },
  },
  'sending a letter': {
    text: 'send_letter',
    begin: async (store) => async () => {
      const letter = { id: store.letters.newId(Date.now()), tenant, principal: 'ann', body: 'x' }
      expect(await store.letters.send('one', letter, { ...limits, inBox: 1 })).toBe(true)
      const box = store.letters.open('one')
      expect(await box.next(never)).toEqual([letter])
      expect(await box.next(AbortSignal.timeout(300))).toEqual([])
      box.close()
    },
  },
  'keeping a sign-in link': {
    text: 'keep_sign_in_link',
    begin: async (store) => async () => {
      expect(await store.signIns.invite({ tenant, code: 'c', person: ann, keepMs: minuteMs, atMost: 1 })).toBe(true)
      expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 't' })).toBe('begun')
    },
  },
  'redeeming it': {
    text: 'redeem_sign_in_link',
    begin: async (store) => {
      await store.signIns.invite({ tenant, code: 'c', person: ann, keepMs: minuteMs, atMost: 10 })
      return async () => {
        expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 't' })).toBe('begun')
        expect(await store.signIns.who(tenant, 't')).toMatchObject({ person: ann })
        expect(await store.signIns.redeem({ ...signingIn, code: 'c', token: 'other' })).toBe('used')
      }
    },
  },
  'signing in by account': {
    text: 'begin_session',
    begin: async (store) => async () => {
      const vouched = { ...signingIn, login: 'l', person: ann }
      expect(await store.signIns.begin({ ...vouched, token: 't' })).toBe('begun')
      expect(await store.signIns.who(tenant, 't')).toMatchObject({ person: ann })
      expect(await store.signIns.begin({ ...vouched, token: 'other' })).toBe('used')
    },
  },
}

const cases = Object.entries(steps).flatMap(([name, step]) => [
  { name, lost: 'request', ...step },
  { name, lost: 'reply', ...step },
])

test.each(cases)('[STORE-31] $name is done once and known to be, though its $lost was lost (PostgreSQL)', (one) =>
  overAWire(async (wire, store) => {
    const rest = await one.begin(store)
    if (one.lost === 'request') wire.loseRequest(one.text)
    else wire.loseReplyTo(one.text)

    await rest()

    expect(wire.hasBroken).toBe(true)
  }),
)

test('[STORE-31] what cannot be repeated without harm is not, and is told as trouble (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    wire.loseReplyTo('use_id')

    await expect(store.grants.useState(tenant, 's1', Date.now())).rejects.toMatchObject({ code: 'store_unavailable' })

    expect(await store.grants.useState(tenant, 's1', Date.now())).toBe(false)
  }))

test('[STORE-32] letters whose taking is unclear are read all the same, once (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    const letter = (body: string) => ({ id: store.letters.newId(Date.now()), tenant, principal: 'ann', body })
    const box = store.letters.open('one')
    const [first, second] = [letter('first'), letter('second')]
    await store.letters.send('one', first, limits)

    wire.loseReplyTo('take_letters')
    expect(await box.next(never)).toEqual([first])
    expect(wire.hasBroken).toBe(true)
    // The sender may not know that it came, and send it again.
    await store.letters.send('one', first, limits)
    await store.letters.send('one', second, limits)
    expect(await box.next(never)).toEqual([second])
    expect(await box.next(AbortSignal.timeout(300))).toEqual([])
    box.close()
  }))

test('[STORE-32] a taking that arrives after its sender gave up takes nothing that was not read (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    const letter = (body: string) => ({ id: store.letters.newId(Date.now()), tenant, principal: 'ann', body })
    const box = store.letters.open('one')
    const [first, second] = [letter('first'), letter('second')]
    await store.letters.send('one', first, limits)
    const taking = wire.delayRequest('take_letters')

    expect(await box.next(never)).toEqual([first])
    await store.letters.send('one', second, limits)
    await taking.arrive()

    expect(await box.next(never)).toEqual([second])
    box.close()
  }))

test('[STORE-31] an answer that arrives after its sender gave up changes nothing any more (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    const { id } = await store.asks.raise(aForm())
    const answering = wire.delayRequest('answer_ask')
    const request = { tenant, id, person: ann, via: 'inbox', answer: inEurope, decisionId: 'd1' } as const

    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
    await answering.arrive()

    expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-32] letters are kept for their reader while the database is away (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    const letter = { id: store.letters.newId(Date.now()), tenant, principal: 'ann', body: 'x' }
    const box = store.letters.open('one')
    await store.letters.send('one', letter, limits)
    wire.loseRequest('take_letters', 2)

    await expect(box.next(never)).rejects.toMatchObject({ code: 'store_unavailable' })

    expect(await box.next(never)).toEqual([letter])
    box.close()
  }))

test('[STORE-33] a connection that breaks inside a transaction costs the transaction, and not the process (PostgreSQL)', () =>
  overAWire(async (wire, store) => {
    const notes = [1, 2].map((body) => ({ subject: 's', body }))
    await store.audit.append(tenant, notes)
    for (const text of ['begin\0', 'append_entry', 'commit']) {
      wire.loseRequest(text)

      // An event of the connection that nobody listened to would end this process.
      const appended = store.audit.append(tenant, notes)
      await expect(appended).rejects.toMatchObject({ code: 'store_unavailable' })
      expect(wire.hasBroken).toBe(true)
    }
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
  }))

test('[STORE-33] a connection that breaks at the start is told as trouble, and not by the end of the process (PostgreSQL)', () =>
  overAWire(async (wire, _, schema) => {
    const another = `${schema}_new`
    const migrating = [
      'pg_backend_pid',
      'has_schema_privilege',
      'pg_try_advisory_lock',
      'create schema',
      'from migrations',
    ]
    for (const text of [...migrating, 'has_table_privilege(c.oid, needed', 'transaction_read_only', 'set_config']) {
      wire.loseRequest(text)
      await expect(openPostgres(wire.url, { keys: testKeys, schema: another }), text).rejects.toMatchObject({
        code: 'store_unavailable',
      })
      expect(wire.hasBroken, text).toBe(true)
    }
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`drop schema ${another} cascade`)
    await admin.end()
  }))

test('[STORE-33] a server that only reads is told as trouble, and is left for the next one (PostgreSQL)', () =>
  overAWire(async (wire, _, schema) => {
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`create role ${schema} superuser login`)
    const store = await openPostgres(as(wire.url, schema), { keys: testKeys, schema })
    try {
      // As a standby does until it takes over, and a primary after it was replaced.
      await admin.query(`alter role ${schema} set default_transaction_read_only = on`)
      wire.refuseConnections(true)
      wire.refuseConnections(false)
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
