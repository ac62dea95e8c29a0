// Rows of the store that are changed while a call waits for them, as someone with write access to the database could.

import { DatabaseSync } from 'node:sqlite'
import type { Unverified } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
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
    const stage = await aStage({ onUnverified: (one) => found.push(one) })
    const gateway = await stage.gateway({ deploy: { url: server.url } }, { surfaces: ['inbox'] })
    const client = await aClient(clientSpeaks, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [whichRegion] })
    return { server, found, stage, calling, ask: await firstAsk(stage.store) }
  }

  test('[VOTE-5] a decision that was written into the database is no answer', async () => {
    const { server, found, stage, calling, ask } = await aCall()
    tamper(
      stage.path,
      `update asks set state = 'settled', answer = ${yes}, decided_by = 'ceo', decided_via = 'inbox',
         decision_id = 'x', ended_at = raised_at where id = '${ask.id}'`,
    )
    await calling

    expect(server.saw).toEqual([noAnswer])
    expect(found).toMatchObject([{ askId: ask.id, problem: { what: 'decision', reason: 'unsigned' } }])
  })

  test('[VOTE-5] the answer to a question that was changed in the database is none', async () => {
    const { server, stage, calling, ask } = await aCall()
    tamper(stage.path, `update asks set question = replace(question, 'region', 'colour') where id = '${ask.id}'`)
    await answerInInbox(stage.store, ask, { action: 'accept', content: { region: 'eu' } })
    await calling

    expect(server.saw).toEqual([noAnswer])
  })
})
