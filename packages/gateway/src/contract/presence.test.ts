// Decisions that need a passkey: the client is not asked, and what it sends is not accepted.

import type { PresenceSetting } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { identifyByHeader, openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, type Says } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { addKey, signedAnswer } from '../../../../test-kit/store/passkeys.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const inEurope = { action: 'accept', content: { region: 'eu' } }
const surfaces = ['client', 'inbox'] as const

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (says: Says, presence: PresenceSetting, more: object = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const env = await openTestEnv()
    const servers = { deploy: { url: server.url } }
    const options = { surfaces, unseenAfterMs: 10, presence, ...more }
    const gateway = await env.gateway(servers, options)
    const client = await aClient(clientSpeaks, gateway.url, { says })
    return {
      server,
      store: env.store,
      client,
      reload: (to: PresenceSetting) =>
        gateway.reload({ ...options, identify: identifyByHeader, servers, presence: to }),
    }
  }

  /** The client is asked while no passkey is needed, and answers after the setting was raised. */
  const answeredAfterReload = async (answer: unknown) => {
    const answering = Promise.withResolvers<unknown>()
    const asked = Promise.withResolvers<void>()
    const says: Says = async () => {
      asked.resolve()
      return answering.promise
    }
    const { server, store, client, reload } = await aPairing(says, 'none')
    const calling = client.call('ask', { questions: [whichRegion] })
    await asked.promise
    await new Promise((resolve) => setTimeout(resolve, 50))
    reload('all')
    answering.resolve(answer)
    return { server, store, calling }
  }

  test.each([{}, { surfaces: ['inbox', 'client'], silentAfterMs: 200 }, { silentAfterMs: 200 }])(
    '[PRESENCE-2] a question that needs a passkey is asked in the inbox only (%j)',
    async (more) => {
      const { server, store, client } = await aPairing(async () => inEurope, 'all', more)
      const { key } = await addKey(store, 'ann', undefined, undefined, 'default')

      const calling = client.call('ask', { questions: [whichRegion] })
      const ask = await firstAsk(store)
      expect(ask.needsPresence).toBe(true)
      expect(await answerInInbox(store, ask, inEurope)).toEqual({ kind: 'presence', problem: 'required' })
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(client.asked).toEqual([])
      expect(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key))).toMatchObject({ kind: 'settled' })

      expect(await calling).toMatchObject({ content: [{ text: 'done' }] })
      expect(server.saw).toEqual([inEurope])
    },
  )

  test('[PRESENCE-2] an accept that the client sends after the setting was raised is not accepted: the inbox asks', async () => {
    const { server, store, calling } = await answeredAfterReload(inEurope)
    const { key } = await addKey(store, 'ann', undefined, undefined, 'default')

    const ask = await firstAsk(store)
    // So that a replica with a weaker setting does not accept it either. A held call had its ask before.
    const isHeld = clientSpeaks === '2026-07-28' && serverSpeaks === '2025-11-25'
    expect(ask.needsPresence).toBe(isHeld ? undefined : true)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(server.saw).toEqual([])
    expect(await store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key))).toMatchObject({ kind: 'settled' })
    await calling
    expect(server.saw).toEqual([inEurope])
  })

  test('[PRESENCE-2] a client may decline after the setting was raised', async () => {
    const { server, store, calling } = await answeredAfterReload({ action: 'decline' })
    await calling
    expect(server.saw).toEqual([{ action: 'decline' }])
    expect(await openAsks(store)).toEqual([])
  })
})

test('[PRESENCE-1] a form that is no approval needs a passkey only with `all`', async () => {
  const server = await anAskingServer('2026-07-28')
  const env = await openTestEnv()
  const options = { surfaces, unseenAfterMs: 0, presence: 'approvals' } as const
  const gateway = await env.gateway({ deploy: { url: server.url } }, options)
  const client = await aClient('2026-07-28', gateway.url, { says: async () => inEurope })
  await client.call('ask', { questions: [whichRegion] })
  expect(client.asked).toHaveLength(1)
})

test('[PRESENCE-1] a gateway that could not ask for a passkey does not start', async () => {
  const env = await openTestEnv()
  const servers = { deploy: { url: 'http://127.0.0.1:9/mcp' } }
  for (const options of [
    { surfaces: ['client'], presence: 'destructive' },
    { surfaces, presence: 'all', servers: { deploy: { ...servers.deploy, surfaces: ['client'] } } },
  ] as const) {
    const { servers: changed = servers, ...rest } = options as typeof options & { servers?: typeof servers }
    await expect(env.gateway(changed, rest)).rejects.toThrow('need the inbox')
  }
})
