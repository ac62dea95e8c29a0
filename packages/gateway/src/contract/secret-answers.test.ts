// Answers that look like a secret: refused from a client, confirmed in the inbox, and deleted once they are delivered.

import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const key = `ghp_${'a1B2'.repeat(9)}`
const withKey = { action: 'accept', content: { value: key } }
const whichValue = {
  message: 'Which value should be used?',
  requestedSchema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
}

/** The content of the database, as text. */
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
    const testEnv = await openTestEnv()
    const refused: string[] = []
    const gateway = await testEnv.gateway(
      { deploy: { url: server.url, ...(options.allows === undefined ? {} : { allowsSecretAnswers: true }) } },
      {
        surfaces: options.surfaces ?? ['client'],
        unseenAfterMs: 0,
        watch: { ...noTelemetry, questionRefused: ({ why }) => refused.push(why) },
      },
    )
    return { server, testEnv, gateway, refused }
  }

  test('[VOTE-6] an answer of the client that looks like a secret is refused, and recorded without its content', async () => {
    const { server, testEnv, gateway, refused } = await aPairing({})
    const client = await aClient(clientSpeaks, gateway.url, { says: () => withKey })

    await client.call('ask', { questions: [whichValue] })

    const refusal =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('looks like a secret') } : { action: 'cancel' }
    expect(server.saw).toEqual([refusal])
    expect(refused).toEqual(['secret-answer'])
    const log = await until(async () =>
      stored(testEnv.path).includes('secret-answer') ? stored(testEnv.path) : undefined,
    )
    expect(log).not.toContain(key)
  })

  test('[VOTE-6] [VOTE-7] if the server may receive secrets, the answer is forwarded and not stored', async () => {
    const { server, testEnv, gateway, refused } = await aPairing({ allows: true })
    const client = await aClient(clientSpeaks, gateway.url, { says: () => withKey })

    await client.call('ask', { questions: [whichValue] })

    expect(server.saw).toEqual([withKey])
    expect(refused).toEqual([])
    expect(stored(testEnv.path)).not.toContain(key)
    expect(stored(testEnv.path)).not.toContain('sealed')
  })

  test('[VOTE-7] a secret that was confirmed in the inbox reaches the server, and only its digest stays stored', async () => {
    const { server, testEnv, gateway, refused } = await aPairing({ surfaces: ['inbox'] })
    const client = await aClient(clientSpeaks, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [whichValue] })
    const ask = await firstAsk(testEnv.store)
    await answerInInbox(testEnv.store, ask, withKey)
    expect(stored(testEnv.path)).not.toContain(key)
    await calling

    expect(server.saw).toEqual([withKey])
    expect(refused).toEqual([])
    await until(async () => (stored(testEnv.path).includes('sealed') ? undefined : true))
    expect(stored(testEnv.path)).not.toContain(key)
    expect(await testEnv.store.record.verify('default')).toMatchObject({ ok: true })
  })
})
