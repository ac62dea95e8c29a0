// Rows of the store that are changed while a call waits for them, as someone with write access to the database could.

import { DatabaseSync } from 'node:sqlite'
import type { Unverified } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))

function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(sql)
  database.close()
}

const yes = `'{"action":"accept","content":{"region":"eu"}}'`

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const noAnswer =
    serverSpeaks === '2025-11-25'
      ? { error: expect.stringContaining('does not match its signatures') }
      : { action: 'cancel' }

  const aCall = async () => {
    const server = await anAskingServer(serverSpeaks)
    const found: Unverified[] = []
    const testEnv = await openTestEnv({ onUnverified: (one) => found.push(one) })
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['inbox'] })
    const client = await aClient(clientSpeaks, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [whichRegion] })
    return { server, found, testEnv, calling, ask: await firstAsk(testEnv.store) }
  }

  test('[VOTE-5] a decision that was written directly into the database does not count', async () => {
    const { server, found, testEnv, calling, ask } = await aCall()
    tamper(
      testEnv.path,
      `update asks set state = 'settled', answer = ${yes}, decided_by = 'ceo', decided_via = 'inbox',
         decision_id = 'x', ended_at = raised_at where id = '${ask.id}'`,
    )
    await calling

    expect(server.saw).toEqual([noAnswer])
    expect(found).toMatchObject([{ askId: ask.id, problem: { what: 'decision', reason: 'unsigned' } }])
  })

  test('[VOTE-5] the answer to a question that was changed in the database does not count', async () => {
    const { server, testEnv, calling, ask } = await aCall()
    tamper(testEnv.path, `update asks set question = replace(question, 'region', 'colour') where id = '${ask.id}'`)
    await answerInInbox(testEnv.store, ask, { action: 'accept', content: { region: 'eu' } })
    await calling

    expect(server.saw).toEqual([noAnswer])
  })
})
