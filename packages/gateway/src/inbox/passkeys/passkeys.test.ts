// Passkeys over the API: adding, removing, and accepting asks with them.

import type {
  InboxProblem,
  OneAskView,
  PasskeyAddStartView,
  PasskeyAuthoriseView,
  PasskeyRemoveStartView,
  PasskeysView,
  PresenceStartView,
} from '@assent/core'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../../../test-kit/software-passkey.ts'
import { AskService } from '../ask-service.ts'
import {
  aDecisionId,
  anApproval,
  anAsk,
  ann,
  type Browser,
  ben,
  keys,
  onEachEngine,
  onSqlite,
  signIn,
  stoppedClock,
  tenant,
} from '../inbox-env.suite.ts'
import { Challenges, relyingPartyOf } from './challenges.ts'
import { PasskeysApi } from './passkeys-api.ts'

const origin = 'http://localhost:7420'
const inEurope = { action: 'accept', content: { region: 'eu' } }
const needing = { needsPresence: true } as const

async function addKey(browser: Browser, key = new SoftwarePasskey(), by?: SoftwarePasskey, name = 'Laptop') {
  const started = await browser.post('/api/passkeys/start', {})
  if (started.status !== 200) return started
  const { token, creation, needsAuthorisation } = (await started.json()) as PasskeyAddStartView
  const added = { token, name, credential: key.create(creation, origin) }
  if (by === undefined || needsAuthorisation !== true) return browser.post('/api/passkeys', added)
  return browser.post('/api/passkeys', { ...added, authorisation: await authorise(browser, added, by) })
}

async function authorise(browser: Browser, added: object, by: SoftwarePasskey) {
  const { request } = (await (await browser.post('/api/passkeys/authorise', added)).json()) as PasskeyAuthoriseView
  return by.get(request, origin)
}

async function startPresence(browser: Browser, id: string, answer: unknown): Promise<PresenceStartView> {
  return (await browser.post(`/api/asks/${id}/presence`, { answer })).json() as Promise<PresenceStartView>
}

async function accept(browser: Browser, id: string, key: SoftwarePasskey, answer: unknown = inEurope) {
  const { token, request } = await startPresence(browser, id, answer)
  const presence = { token, response: key.get(request, origin) }
  return browser.post(`/api/asks/${id}/answer`, { decisionId: aDecisionId(), answer, presence })
}

const problemIn = async (response: Response) => (await response.json()) as InboxProblem

onEachEngine(
  '[PRESENCE-5] keys are added and removed in the inbox, further ones with one that the person has',
  async ({ store, app }) => {
    const inbox = app({ presence: () => 'approvals' })
    const browser = await signIn(inbox, ann)
    const first = new SoftwarePasskey()
    expect((await addKey(browser, first)).status).toBe(200)
    expect((await addKey(browser, new SoftwarePasskey())).status).toBe(403)
    expect((await addKey(browser, new SoftwarePasskey(), new SoftwarePasskey())).status).toBe(403)
    const second = new SoftwarePasskey({ algorithm: 'RS256' })
    expect((await addKey(browser, second, first, 'Phone')).status).toBe(200)
    expect((await addKey(browser, new SoftwarePasskey({ algorithm: 'EdDSA' }), second)).status).toBe(200)

    const listed = (await (await browser.get('/api/passkeys')).json()) as PasskeysView
    expect(listed).toMatchObject({ presence: 'approvals', keys: [{ name: 'Laptop' }, { name: 'Phone' }, {}] })
    expect(listed.notices.map(({ text }) => text)).toContain('A passkey was added: Phone.')
    const id = listed.keys[0]?.id ?? ''
    const others = await signIn(inbox, ben)
    expect((await others.post(`/api/passkeys/${id}/remove/start`, {})).status).toBe(404)

    const start = async () =>
      (await (await browser.post(`/api/passkeys/${id}/remove/start`, {})).json()) as PasskeyRemoveStartView
    const { token, request } = await start()
    const remove = (body: object) => browser.post(`/api/passkeys/${id}/remove`, body)
    expect((await remove({ token })).status).toBe(403)
    expect((await remove({ token, response: new SoftwarePasskey().get(request, origin) })).status).toBe(403)
    expect((await remove({ token: 'x', response: second.get(request, origin) })).status).toBe(403)
    const removed = await remove({ token, response: second.get(request, origin) })
    expect(((await removed.json()) as PasskeysView).keys.map(({ name }) => name)).toEqual(['Phone', 'Laptop'])
    expect((await remove({ token, response: second.get(request, origin) })).status).toBe(403)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine(
  '[PRESENCE-5] the signature that authorises a further key covers this key and its name',
  async ({ store, app }) => {
    const inbox = app()
    const browser = await signIn(inbox, ann)
    const first = new SoftwarePasskey()
    await addKey(browser, first)
    const { token, creation } = (await (await browser.post('/api/passkeys/start', {})).json()) as PasskeyAddStartView
    const mine = { token, name: 'Phone', credential: new SoftwarePasskey().create(creation, origin) }
    const authorisation = await authorise(browser, mine, first)
    const other = new SoftwarePasskey().create(creation, origin)
    const add = async (changes: object) =>
      (await browser.post('/api/passkeys', { ...mine, authorisation, ...changes })).status
    expect(await add({ credential: other })).toBe(403)
    expect(await add({ name: 'Laptop' })).toBe(403)
    expect((await browser.post('/api/passkeys/authorise', { ...mine, token: 'x' })).status).toBe(403)
    expect((await browser.post('/api/passkeys/authorise', { ...mine, credential: {} })).status).toBe(403)
    expect((await browser.post('/api/passkeys/authorise', { ...mine, name: '' })).status).toBe(400)
    expect(await add({})).toBe(200)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine(
  '[PRESENCE-5] a registration is valid once, for its person, on our page, with a verified person',
  async ({ app }) => {
    const inbox = app()
    const [browser, other] = [await signIn(inbox, ann), await signIn(inbox, ben)]
    const start = async () => (await (await browser.post('/api/passkeys/start', {})).json()) as PasskeyAddStartView
    const { token, creation } = await start()
    const key = new SoftwarePasskey()
    const add = (by: Browser, credential: unknown, more: object = {}) =>
      by.post('/api/passkeys', { token, name: 'Key', credential, ...more })
    expect((await add(other, key.create(creation, origin))).status).toBe(403)
    for (const wrong of [
      { origin: 'http://localhost:1' },
      { rpId: 'x' },
      { flags: 0x41 },
      { flags: 0x44 },
      { challenge: 'x' },
      { type: 'webauthn.get' },
    ]) {
      expect((await add(browser, key.create(creation, origin, wrong))).status).toBe(403)
    }
    for (const wrong of [undefined, null, 'x', {}, { id: 'x' }]) expect((await add(browser, wrong)).status).toBe(403)
    for (const name of ['', 'x'.repeat(81), 'a\nb', 1]) {
      expect((await add(browser, key.create(creation, origin), { name })).status).toBe(400)
    }
    expect((await add(browser, key.create(creation, origin), { token: (await start()).token })).status).toBe(403)
    expect((await add(browser, key.create(creation, origin))).status).toBe(200)
    expect((await add(browser, new SoftwarePasskey().create(creation, origin))).status).toBe(403)
  },
)

onEachEngine(
  '[PRESENCE-2] an accept needs the passkey, by the ask or by the setting; declining does not',
  async ({ store, app }) => {
    let setting: 'none' | 'approvals' = 'none'
    const inbox = app({ presence: () => setting })
    const browser = await signIn(inbox, ann)
    const fixed = await store.asks.raise(anAsk(needing))
    const bySetting = await store.asks.raise(anApproval(['person:ann'], 1))
    const plain = await store.asks.raise(anAsk())
    setting = 'approvals'
    for (const [id, answer] of [
      [fixed.id, inEurope],
      [bySetting.id, { action: 'accept' }],
    ] as const) {
      const refused = await browser.answer(id, answer)
      expect(refused.status).toBe(422)
      expect(await problemIn(refused)).toMatchObject({
        code: 'presence',
        message: expect.stringContaining('/passkeys'),
      })
      const started = await browser.post(`/api/asks/${id}/presence`, { answer })
      expect(await problemIn(started)).toMatchObject({ code: 'presence' })
    }
    const key = new SoftwarePasskey()
    await addKey(browser, key)
    expect((await problemIn(await browser.answer(fixed.id, inEurope))).message).toBe(
      'Accepting this needs your passkey.',
    )
    const shown = (await (await browser.get(`/api/asks/${bySetting.id}`)).json()) as OneAskView
    expect(shown.ask).toMatchObject({ needsPresence: true })
    setting = 'none'
    expect(((await (await browser.get(`/api/asks/${fixed.id}`)).json()) as OneAskView).ask.needsPresence).toBe(true)
    setting = 'approvals'
    expect((await browser.answer(plain.id, inEurope)).status).toBe(200)
    expect((await accept(browser, fixed.id, key)).status).toBe(200)
    const settled = await accept(browser, bySetting.id, key, { action: 'accept', comment: 'go' })
    expect(await settled.json()).toMatchObject({ ask: { state: { what: 'You approved this with a passkey' } } })
    const { id } = await store.asks.raise(anAsk(needing))
    expect((await browser.answer(id, { action: 'decline' })).status).toBe(200)
  },
)

onEachEngine(
  '[PRESENCE-3] a signature is for one challenge: not another ask, answer, person, origin or time',
  async ({ store, app }) => {
    const inbox = app()
    const [browser, other] = [await signIn(inbox, ann), await signIn(inbox, ben)]
    const [key, ofBen] = [new SoftwarePasskey(), new SoftwarePasskey()]
    await addKey(browser, key)
    await addKey(other, ofBen)
    const rule = { approvers: ['person:ann', 'person:ben'], excluded: [], approvals: 1, declines: 1 } as const
    const one = await store.asks.raise(anAsk({ ...needing, approvalRule: rule }))
    const two = await store.asks.raise(anAsk({ ...needing, approvalRule: rule }))
    const { token, request } = await startPresence(browser, one.id, inEurope)
    const response = key.get(request, origin)
    const answer = (by: Browser, id: string, presence: unknown, given: unknown = inEurope) =>
      by.post(`/api/asks/${id}/answer`, { decisionId: aDecisionId(), answer: given, presence })
    const refused = [
      await answer(browser, two.id, { token, response }),
      await answer(browser, one.id, { token, response }, { action: 'accept', content: { region: 'us' } }),
      await answer(other, one.id, { token, response }),
      await answer(browser, one.id, { token, response: ofBen.get(request, origin) }),
      await answer(browser, one.id, { token, response: key.get(request, 'http://localhost:9') }),
      await answer(browser, one.id, { token, response: key.get(request, origin, { flags: 1 }) }),
      await answer(browser, one.id, { token: (await startPresence(browser, one.id, inEurope)).token, response }),
      await answer(browser, one.id, { token: 'x', response }),
      await answer(browser, one.id, { token }),
      await answer(browser, one.id, 'x'),
    ]
    for (const one of refused) expect([one.status, (await problemIn(one)).code]).toEqual([422, 'presence'])
    expect((await answer(browser, one.id, { token, response: key.get(request, origin) })).status).toBe(200)
    expect((await accept(browser, two.id, key)).status).toBe(200)
  },
)

test('[PRESENCE-3] a challenge expires after two minutes', () =>
  onSqlite(
    async ({ store, app }) => {
      const browser = await signIn(app(), ann)
      const key = new SoftwarePasskey()
      await addKey(browser, key)
      const ask = await store.asks.raise(anAsk(needing))
      const { token, request } = await startPresence(browser, ask.id, inEurope)
      clock.advance(120_001)
      const presence = { token, response: key.get(request, origin) }
      const late = await browser.post(`/api/asks/${ask.id}/answer`, {
        decisionId: aDecisionId(),
        answer: inEurope,
        presence,
      })
      expect(await problemIn(late)).toMatchObject({ code: 'presence', message: expect.stringContaining('expired') })
    },
    { clock },
  ))
const clock = stoppedClock()

onEachEngine('[PRESENCE-2] the terminal refuses, and names the address of the ask', async ({ store }) => {
  const { id } = await store.asks.raise(anAsk(needing))
  const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }
  const linkOf = (ask: string) => `https://inbox.example/asks/${ask}`
  const service = new AskService({ store, tenant, naming, now: () => store.nowMs(), via: 'terminal', linkOf })
  const ask = await service.find(ann, id)
  if (ask === undefined) throw new Error('It is missing.')
  const presence = { token: 'x', response: {} }
  expect(await service.answer(ann, ask, { decisionId: aDecisionId(), answer: inEurope })).toMatchObject({
    problem: { code: 'presence', message: expect.stringContaining(linkOf(id)) },
  })
  expect(await service.answer(ann, ask, { decisionId: aDecisionId(), answer: inEurope, presence })).toMatchObject({
    ok: false,
  })
  expect(await service.answer(ann, ask, { decisionId: aDecisionId(), answer: { action: 'cancel' } })).toMatchObject({
    ok: true,
  })
})

test('[PRESENCE-5] passkeys are made for one host: that of the inbox, or localhost on this machine', () => {
  const party = (url: string) => relyingPartyOf(new URL(url))
  expect(party('https://assent.example.com/')).toEqual({
    rpId: 'assent.example.com',
    origin: 'https://assent.example.com',
  })
  expect(party('https://assent.example.com:8443')).toMatchObject({ origin: 'https://assent.example.com:8443' })
  for (const local of ['http://localhost:7421', 'http://127.0.0.1:7421', 'http://[::1]:7421'])
    expect(party(local)).toEqual({ rpId: 'localhost', origin: 'http://localhost:7421' })
})

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  '[PRESENCE-4] another implementation agrees with the signatures that the inbox accepts (%s)',
  (algorithm) =>
    onSqlite(async ({ store, app }) => {
      const browser = await signIn(app({ keys }), ann)
      const key = new SoftwarePasskey({ algorithm })
      await addKey(browser, key)
      const ask = await store.asks.raise(anAsk(needing))
      expect((await accept(browser, ask.id, key)).status).toBe(200)
      const state = (await store.asks.read(tenant, ask.id))?.state
      const presence = state?.kind === 'settled' ? state.presence : undefined
      if (presence === undefined) throw new Error('It was not accepted.')
      const { credentialId: id, clientData: clientDataJSON, authenticatorData, signature } = presence
      const client = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge: string }
      const verified = await verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON, authenticatorData, signature },
        },
        expectedChallenge: client.challenge,
        expectedOrigin: origin,
        expectedRPID: 'localhost',
        credential: { id, publicKey: new Uint8Array(key.coseKey), counter: 0 },
      })
      expect(verified).toMatchObject({ verified: true, authenticationInfo: { userVerified: true } })
    }),
)

test('[PRESENCE-5] with accounts, the first passkey needs a sign-in of the last five minutes', () =>
  onSqlite(async ({ store }) => {
    const party = relyingPartyOf(new URL(origin))
    const challenges = new Challenges(keys, () => store.nowMs())
    const presence = () => 'approvals' as const
    const api = (hasAccounts: boolean) => new PasskeysApi({ store, tenant, party, challenges, presence, hasAccounts })
    const visitor = (agoMs: number) => ({ person: ann, name: 'Ann', begunAtMs: store.nowMs() - agoMs })
    const add = async (agoMs: number, token: string, key: SoftwarePasskey, creation: object) => {
      const body = { token, name: 'Key', credential: key.create(creation, origin) }
      const request = new Request(origin, { method: 'POST', body: JSON.stringify(body) })
      return api(true).add(visitor(agoMs), request)
    }
    expect((await api(true).startAdding(visitor(300_001))).status).toBe(403)
    expect((await api(false).startAdding(visitor(300_001))).status).toBe(200)
    const { token, creation } = (await (await api(true).startAdding(visitor(1_000))).json()) as PasskeyAddStartView
    const key = new SoftwarePasskey()
    expect((await add(300_001, token, key, creation)).status).toBe(403)
    expect((await add(1_000, token, key, creation)).status).toBe(200)
    // Further ones need a signature instead.
    expect((await api(true).startAdding(visitor(300_001))).status).toBe(200)
  }))

onEachEngine(
  '[PRESENCE-11] an invalid answer, or one that looks like a secret, is reported before the passkey is asked for',
  async ({ store, app }) => {
    const browser = await signIn(app(), ann)
    await addKey(browser)
    const { id } = await store.asks.raise(anAsk(needing))
    const start = (body: object) => browser.post(`/api/asks/${id}/presence`, body)
    const invalid = await problemIn(await start({ answer: { action: 'accept', content: { region: 'mars' } } }))
    expect(invalid).toMatchObject({ code: 'invalid', issues: [{ field: 'region' }] })
    expect(await problemIn(await start({ answer: 'yes' }))).toMatchObject({ code: 'malformed' })
    const secret = { ...inEurope, comment: `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` }
    expect(await problemIn(await start({ answer: secret }))).toMatchObject({ code: 'looks-secret' })
    expect((await start({ answer: secret, confirmed: true })).status).toBe(200)
    const others = await signIn(app(), ben)
    expect((await others.post(`/api/asks/${id}/presence`, { answer: inEurope })).status).toBe(404)
  },
)
