import { createKeyRing, verifyProof } from '@assent/core'
import { expect } from 'vitest'
import { SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import { addKey, aState, isRefused, signChange, signedAnswer } from '../../../../test-kit/store/passkeys.ts'
import { accept, aForm, anApproval, ann, ben, cancel, decline, inEurope, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const tenant = 'acme'
const needing = { needsPresence: true } as const

onEachEngine(
  '[PRESENCE-2] an ask that needs presence is accepted with a passkey, and only with one',
  async ({ open }) => {
    const store = await open()
    const { key } = await addKey(store, 'ann')
    const ask = await store.asks.raise(anApproval(['person:ann'], 1, needing))
    for (const via of ['inbox', 'terminal', 'client'] as const) {
      const request = { tenant, id: ask.id, person: ann, via, answer: accept } as const
      expect(await store.asks.answer(request)).toEqual({ kind: 'presence', problem: 'required' })
      expect(await store.asks.answer({ ...request, ask })).toEqual({ kind: 'presence', problem: 'required' })
    }
    const answered = await store.asks.answer(signedAnswer(store, ask, 'ann', accept, key))
    expect(answered).toMatchObject({ kind: 'settled', ask: { state: { presence: { credentialId: key.id } } } })
    expect(await store.asks.read(tenant, ask.id)).toMatchObject({ needsPresence: true, state: { kind: 'settled' } })
    expect(await store.grants.read(tenant, ask.id)).toBeDefined()
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 1 })
  },
)

onEachEngine('[PRESENCE-2] the setting in force suffices, and declining never needs a passkey', async ({ open }) => {
  const store = await open()
  const plain = await store.asks.raise(aForm())
  const request = { tenant, person: ann, via: 'inbox' } as const
  expect(isRefused(await store.asks.answer({ ...request, id: plain.id, answer: inEurope, needsPresence: true }))).toBe(
    true,
  )
  expect(await store.asks.answer({ ...request, id: plain.id, answer: inEurope })).toMatchObject({ kind: 'settled' })
  for (const answer of [decline, cancel]) {
    const { id } = await store.asks.raise(aForm(needing))
    expect(await store.asks.answer({ ...request, id, answer, needsPresence: true })).toMatchObject({ kind: 'settled' })
  }
})

onEachEngine('[PRESENCE-3] a signature counts for one ask, action, answer and person, once', async ({ open }) => {
  const store = await open()
  const { key } = await addKey(store, 'ann')
  await addKey(store, 'ben')
  const [one, other] = [await store.asks.raise(aForm(needing)), await store.asks.raise(aForm(needing))]
  const good = signedAnswer(store, one, 'ann', inEurope, key)
  const inUs = { action: 'accept', content: { region: 'us' } }
  const fresh = () => ({ ...good, state: aState(store) })
  expect(isRefused(await store.asks.answer({ ...fresh(), id: other.id }))).toBe(true)
  expect(isRefused(await store.asks.answer({ ...fresh(), answer: inUs }))).toBe(true)
  expect(isRefused(await store.asks.answer({ ...fresh(), answer: { ...inEurope, comment: 'x' } }))).toBe(true)
  expect(isRefused(await store.asks.answer({ ...fresh(), presence: { ...good.presence, nonce: 'x' } }))).toBe(true)
  const { state: _, ...stateless } = good
  expect(isRefused(await store.asks.answer(stateless))).toBe(true)
  for (const wrong of [{ origin: 'http://localhost:1' }, { rpId: 'x' }, { flags: 1 }, { flags: 4 }]) {
    expect(isRefused(await store.asks.answer(signedAnswer(store, one, 'ann', inEurope, key, wrong)))).toBe(true)
  }
  const stranger = new SoftwarePasskey()
  expect(isRefused(await store.asks.answer(signedAnswer(store, one, 'ann', inEurope, stranger)))).toBe(true)
  const shared = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 1, needing))
  const byAnn = signedAnswer(store, shared, 'ann', accept, key)
  expect(isRefused(await store.asks.answer({ ...byAnn, person: ben }))).toBe(true)

  const again = signedAnswer(store, one, 'ann', inEurope, key)
  expect(await store.asks.answer({ ...again, decisionId: 'decision-0000000001' })).toMatchObject({ kind: 'settled' })
  expect(await store.asks.answer({ ...again, decisionId: 'decision-0000000001' })).toMatchObject({ kind: 'settled' })
  expect(await store.asks.answer({ ...again, id: other.id })).toMatchObject({ kind: 'presence' })
  const spent = signedAnswer(store, other, 'ann', inEurope, key)
  expect(await store.asks.answer({ ...spent, state: again.state })).toEqual({ kind: 'state-used' })
  expect((await store.asks.read(tenant, other.id))?.state.kind).toBe('open')
})

onEachEngine('[PRESENCE-6] a copied passkey whose counter does not advance is refused', async ({ open }) => {
  const store = await open()
  const { key } = await addKey(store, 'ann', new SoftwarePasskey({ counter: 5 }))
  const ask = await store.asks.raise(aForm(needing))
  for (const counter of [0, 4, 5]) {
    const copied = await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key, { counter }))
    expect(copied).toMatchObject({ kind: 'presence', problem: { why: expect.stringContaining('counter') } })
  }
  expect(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key, { counter: 9 }))).toMatchObject({
    kind: 'settled',
  })
  expect(await store.passkeys.list({ tenant, principal: 'ann' })).toMatchObject([{ signCount: 9 }])
  const { key: synced } = await addKey(store, 'ben', new SoftwarePasskey({ counter: 0 }))
  for (let time = 0; time < 2; time++) {
    const shared = await store.asks.raise(anApproval(['person:ben'], 1, needing))
    expect(await store.asks.answer(signedAnswer(store, shared, 'ben', accept, synced))).toMatchObject({
      kind: 'settled',
    })
  }
})

onEachEngine(
  '[PRESENCE-5] the first key of a person is added once, and further keys need one of theirs',
  async ({ open }) => {
    const store = await open()
    const first = await Promise.all(Array.from({ length: 4 }, () => addKey(store, 'ann')))
    const added = first.filter(({ id }) => id !== undefined)
    expect(added).toHaveLength(1)
    const key = added[0]?.key ?? new SoftwarePasskey()
    expect((await addKey(store, 'ann')).id).toBeUndefined()
    expect((await addKey(store, 'ann', key, key)).id).toBeUndefined()
    const second = await addKey(store, 'ann', new SoftwarePasskey({ algorithm: 'EdDSA' }), key)
    expect(second.id).toBeDefined()
    const stranger = new SoftwarePasskey()
    expect(await signChange(store, 'ann', stranger, 'authorise', '')).toMatchObject({ ok: false })
    expect(await signChange(store, 'ben', key, 'authorise', '')).toMatchObject({ ok: false })
    expect(await store.passkeys.list({ tenant, principal: 'ann' })).toHaveLength(2)
    expect(await store.passkeys.list({ tenant, principal: 'ben' })).toEqual([])
    expect(await store.passkeys.list({ tenant: 'umbrella', principal: 'ann' })).toEqual([])
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine(
  '[PRESENCE-7] a key is removed with a signature of a key, or by a reset, and signs nothing after it',
  async ({ open }) => {
    const store = await open()
    const { key, id = '' } = await addKey(store, 'ann')
    const { key: second, id: secondId = '' } = await addKey(store, 'ann', new SoftwarePasskey(), key)
    const ask = await store.asks.raise(aForm(needing))
    const by = await signChange(store, 'ann', second, 'remove', id)
    if (!by.ok) throw new Error(by.problem)
    const removal = { tenant, principal: 'ann', id, state: aState(store), by }
    expect(await store.passkeys.remove({ ...removal, principal: 'ben' })).toBe(false)
    expect(await store.passkeys.remove(removal)).toBe(true)
    expect(await store.passkeys.remove(removal)).toBe(false)
    expect(isRefused(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key)))).toBe(true)
    expect(await store.passkeys.list({ tenant, principal: 'ann' })).toMatchObject([{ id: secondId }])
    expect(await store.passkeys.reset({ tenant, principal: 'ann' })).toBe(1)
    expect(await store.passkeys.reset({ tenant, principal: 'ann' })).toBe(0)
    expect(isRefused(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, second)))).toBe(true)
    const { key: fresh } = await addKey(store, 'ann')
    expect(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, fresh))).toMatchObject({ kind: 'settled' })
    const kinds: string[] = []
    for await (const entry of store.audit.entries(tenant)) kinds.push(entry.kind)
    expect(kinds.filter((kind) => kind.startsWith('passkey'))).toEqual([
      'passkey.added',
      'passkey.added',
      'passkey.removed',
      'passkey.removed',
      'passkey.added',
    ])
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine(
  '[PRESENCE-5] a key that was changed, added or restored in the database is not a key',
  async ({ open, tamper }) => {
    const store = await open()
    const owner = { tenant, principal: 'ann' }
    const { id = '' } = await addKey(store, 'ann')
    const mallory = new SoftwarePasskey()
    const edits = [
      [`update passkeys set public_key = '${mallory.publicKey}', credential_id = '${mallory.id}'`, 'publicKey'],
      [`update passkeys set principal = 'ben'`, 'principal'],
    ] as const
    for (const [sql] of edits) {
      const before = (await tamper(`select public_key, credential_id, principal from passkeys where id = '${id}'`)) as [
        { public_key: string; credential_id: string; principal: string },
      ]
      await tamper(`${sql} where id = '${id}'`)
      expect(await store.passkeys.list(owner)).toEqual([])
      expect(await store.passkeys.list({ tenant, principal: 'ben' })).toEqual([])
      expect(await store.record.verify(tenant)).toMatchObject({ ok: false })
      const [{ public_key, credential_id, principal }] = before
      await tamper(
        `update passkeys set public_key = '${public_key}', credential_id = '${credential_id}', principal = '${principal}' where id = '${id}'`,
      )
    }
    expect(await store.passkeys.list(owner)).toHaveLength(1)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })

    await store.passkeys.reset(owner)
    await tamper(`update passkeys set removed_at = null where id = '${id}'`)
    expect(await store.passkeys.list(owner)).toEqual([])
    expect(await store.record.verify(tenant)).toMatchObject({ ok: false })
    await tamper(`delete from passkeys where id = '${id}'`)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: false })
    const without = await open({ keys: createKeyRing([{ id: 'new', secret: new Uint8Array(32).fill(8) }]) })
    expect(await without.passkeys.list(owner)).toEqual([])
  },
)

onEachEngine(
  '[PRESENCE-5] a key that was marked as removed in the database does not make the next key the first',
  async ({ open, tamper }) => {
    const store = await open()
    const { id = '' } = await addKey(store, 'ann')
    await tamper(`update passkeys set removed_at = 1, added_at = 1 where id = '${id}'`)

    expect((await addKey(store, 'ann')).id).toBeUndefined()
    expect(await store.passkeys.list({ tenant, principal: 'ann' })).toEqual([])
    // Its times in the database do not hide it.
    const notices = await store.passkeys.noticesSince({ tenant, principal: 'ann' }, 2)
    expect(notices).toMatchObject([{ kind: 'passkey-added', name: 'Laptop' }])
  },
)

onEachEngine(
  '[PRESENCE-8] a signature of a passkey is verified although the key of our own signature is gone',
  async ({ open, tamper }) => {
    const store = await open()
    const { key } = await addKey(store, 'ann')
    const ask = await store.asks.raise(anApproval(['person:ann'], 1, needing))
    await store.asks.answer(signedAnswer(store, ask, 'ann', accept, key))
    await tamper(
      `update asks set signature = 'v1.gone.AAAA', decision_signature = 'v1.gone.AAAA' where id = '${ask.id}'`,
    )
    expect(await store.record.compare(tenant)).toMatchObject({ problems: [], unknownKeys: 1 })

    const [{ presence, body }] = (await tamper(
      `select a.presence, e.body from asks a join audit_entries e on e.subject = a.id and e.kind = 'ask.settled'
       where a.id = '${ask.id}'`,
    )) as [{ presence: string; body: string }]
    const { signature } = JSON.parse(presence) as { signature: string }
    const forged = Buffer.from('forged').toString('base64url')
    // Also in the log, as a person with the database could.
    await tamper(`update asks set presence = '${presence.replace(signature, forged)}' where id = '${ask.id}'`)
    await tamper(
      `update audit_entries set body = '${body.replace(signature, forged)}' where subject = '${ask.id}' and kind = 'ask.settled'`,
    )
    expect((await store.record.compare(tenant)).problems).toEqual([
      expect.objectContaining({ subject: ask.id, problem: expect.stringContaining('no valid signature of a passkey') }),
    ])
  },
)

onEachEngine(
  '[PRESENCE-8] audit verify reports a decision whose passkey is missing, changed or not registered',
  async ({ open, tamper }) => {
    const store = await open()
    const { key, id = '' } = await addKey(store, 'ann')
    const ask = await store.asks.raise(anApproval(['person:ann'], 1, needing))
    await store.asks.answer(signedAnswer(store, ask, 'ann', accept, key))
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
    const [{ presence }] = (await tamper(`select presence from asks where id = '${ask.id}'`)) as [{ presence: string }]
    const restore = () => tamper(`update asks set presence = '${presence}', needs_presence = 1 where id = '${ask.id}'`)
    for (const sql of [
      'presence = null',
      'needs_presence = null',
      `presence = '${JSON.stringify({ ...JSON.parse(presence), publicKey: new SoftwarePasskey().publicKey })}'`,
      `presence = '{}'`,
    ]) {
      await tamper(`update asks set ${sql} where id = '${ask.id}'`)
      expect(await store.record.verify(tenant)).toMatchObject({ ok: false })
      const read = await store.asks.read(tenant, ask.id).catch(() => undefined)
      expect(read?.state.kind === 'settled').toBe(false)
      await restore()
    }
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
    // A key that the log does not know, together with its row: the log itself is not checked here, only who had registered it.
    await tamper(`update audit_entries set subject = 'other' where subject = '${id}'`)
    expect((await store.record.compare(tenant)).problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: ask.id, problem: expect.stringContaining('had not registered') }),
      ]),
    )
  },
)

onEachEngine(
  '[PRESENCE-8] the proof of an ask contains the signature, and verifies it without the log',
  async ({ open }) => {
    const store = await open()
    const { key } = await addKey(store, 'ann')
    for (const question of [aForm(needing), anApproval(['person:ann'], 1, needing)]) {
      const ask = await store.asks.raise(question)
      const answer = question.question.kind === 'form' ? inEurope : accept
      await store.asks.answer(signedAnswer(store, ask, 'ann', answer, key))
      const proof = await store.audit.proof(tenant, ask.id)
      const last = proof?.entries.at(-1)
      if (proof === undefined || last === undefined) throw new Error('There is no proof.')
      const body = JSON.parse(last.body) as { given: string; presence: object }
      expect(body).toMatchObject({ given: 'passkey', via: 'inbox', presence: { credentialId: key.id } })
      expect(last.assertionDigest).toMatch(/^sha256:/)
      expect(verifyProof(proof)).toMatchObject({ ok: true })
      for (const change of [{ by: 'ben' }, { presence: {} }, { presence: undefined }]) {
        const entries = [...proof.entries.slice(0, -1), { ...last, body: JSON.stringify({ ...body, ...change }) }]
        expect(verifyProof({ ...proof, entries })).toMatchObject({
          problem: expect.stringContaining('does not match its digest'),
        })
      }
    }
  },
)

onEachEngine('[PRESENCE-9] the audit log states how each answer was given', async ({ open }) => {
  const store = await open()
  for (const [via, given] of [
    ['inbox', 'browser session'],
    ['terminal', 'terminal'],
    ['client', 'client'],
  ] as const) {
    const { id } = await store.asks.raise(aForm())
    await store.asks.answer({ tenant, id, person: ann, via, answer: inEurope })
    const proof = await store.audit.proof(tenant, id)
    expect(JSON.parse(proof?.entries.at(-1)?.body ?? '')).toMatchObject({ via, given })
  }
})

onEachEngine(
  '[PRESENCE-10] a weaker setting is recorded once, and shown with changed keys for a while',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const owner = { tenant, principal: 'ann' }
    expect(await store.passkeys.recordedSetting(tenant)).toBe('none')
    await store.passkeys.recordSetting(tenant, 'none')
    await store.passkeys.recordSetting(tenant, 'approvals')
    clock.advance(minuteMs)
    const since = clock()
    await store.passkeys.recordSetting(tenant, 'destructive')
    await store.passkeys.recordSetting(tenant, 'destructive')
    await addKey(store, 'ann')
    clock.advance(1)
    await store.passkeys.reset(owner)
    expect(await store.passkeys.recordedSetting(tenant)).toBe('destructive')
    expect(await store.passkeys.noticesSince(owner, since)).toEqual([
      { kind: 'passkey-reset', name: 'Laptop', atMs: since + 1 },
      { kind: 'passkey-added', name: 'Laptop', atMs: since },
      { kind: 'presence-weakened', from: 'approvals', to: 'destructive', atMs: since },
    ])
    expect(await store.passkeys.noticesSince(owner, since + 2)).toEqual([])
    expect(await store.passkeys.noticesSince({ tenant, principal: 'ben' }, since)).toMatchObject([
      { to: 'destructive' },
    ])
    expect(await store.audit.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine('[PRESENCE-10] changes of the keys of other people do not push a notice out', async ({ open }) => {
  const store = await open()
  const owner = { tenant, principal: 'ann' }
  await addKey(store, 'ann')
  for (let time = 0; time < 101; time++) {
    await addKey(store, 'ben')
    await store.passkeys.reset({ tenant, principal: 'ben' })
  }
  expect(await store.passkeys.noticesSince(owner, 0)).toMatchObject([{ kind: 'passkey-added', name: 'Laptop' }])
})

onEachEngine('[PRESENCE-2] each of several approvers signs their own vote', async ({ open }) => {
  const store = await open()
  const [{ key: ofAnn }, { key: ofBen }] = [await addKey(store, 'ann'), await addKey(store, 'ben')]
  const ask = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2, needing))
  expect(await store.asks.answer(signedAnswer(store, ask, 'ann', accept, ofAnn))).toMatchObject({ kind: 'counted' })
  const unsigned = { tenant, id: ask.id, person: ben, via: 'inbox', answer: accept } as const
  expect(isRefused(await store.asks.answer(unsigned))).toBe(true)
  expect(await store.asks.answer(signedAnswer(store, ask, 'ben', accept, ofBen))).toMatchObject({ kind: 'settled' })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})
