// Answers that look like a secret: refused from a client, confirmed in the inbox, and deleted once they are delivered.

import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { nobodyWatches } from '../watch/watch.ts'
import { aClient } from './clients.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage, until } from './stage.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const key = `ghp_${'a1B2'.repeat(9)}`
const withKey = { action: 'accept', content: { value: key } }
const whichValue = {
  message: 'Which value should be used?',
  requestedSchema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
}

/** What the database holds, as text. */
function stored(path: string): string {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    return ['asks', 'audit_entries']
      .map((table) => JSON.stringify(database.prepare(`select * from ${table}`).all()))
      .join()
  } finally {
    database.close()
  }
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (options: { allows?: true; surfaces?: readonly ('client' | 'inbox')[] }) => {
    const server = await anAskingServer(serverSpeaks)
    const stage = await aStage()
    const refused: string[] = []
    const gateway = await stage.gateway(
      { deploy: { url: server.url, ...(options.allows === undefined ? {} : { allowsSecretAnswers: true }) } },
      {
        surfaces: options.surfaces ?? ['client'],
        unseenAfterMs: 0,
        watch: { ...nobodyWatches, questionRefused: ({ why }) => refused.push(why) },
      },
    )
    return { server, stage, gateway, refused }
  }

  test('[VOTE-6] an answer of the client that looks like a secret is refused, and on record without it', async () => {
    const { server, stage, gateway, refused } = await aPairing({})
    const client = await aClient(clientSpeaks, gateway.url, { says: () => withKey })

    await client.call('ask', { questions: [whichValue] })

    const refusal =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('looks like a secret') } : { action: 'cancel' }
    expect(server.saw).toEqual([refusal])
    expect(refused).toEqual(['secret-answer'])
    const log = await until(async () => (stored(stage.path).includes('secret-answer') ? stored(stage.path) : undefined))
    expect(log).not.toContain(key)
  })

  test('[VOTE-6] [VOTE-7] where the server is allowed to get it, it passes and is not kept', async () => {
    const { server, stage, gateway, refused } = await aPairing({ allows: true })
    const client = await aClient(clientSpeaks, gateway.url, { says: () => withKey })

    await client.call('ask', { questions: [whichValue] })

    expect(server.saw).toEqual([withKey])
    expect(refused).toEqual([])
    expect(stored(stage.path)).not.toContain(key)
    expect(stored(stage.path)).not.toContain('sealed')
  })

  test('[VOTE-7] what was confirmed in the inbox reaches the server, and only its digest is left', async () => {
    const { server, stage, gateway, refused } = await aPairing({ surfaces: ['inbox'] })
    const client = await aClient(clientSpeaks, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [whichValue] })
    const ask = await firstAsk(stage.store)
    await answerInInbox(stage.store, ask, withKey)
    expect(stored(stage.path)).not.toContain(key)
    await calling

    expect(server.saw).toEqual([withKey])
    expect(refused).toEqual([])
    await until(async () => (stored(stage.path).includes('sealed') ? undefined : true))
    expect(stored(stage.path)).not.toContain(key)
    expect(await stage.store.record.verify('default')).toMatchObject({ ok: true })
  })
})
