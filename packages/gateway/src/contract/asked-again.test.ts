import { askView } from '@assent/core'
import { expect, test } from 'vitest'
import { answerInInbox } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const ann = { principal: 'ann', groups: [] }
const naming = { nameOf: (name: string) => name, describe: () => ({}) }

test.each(generations.flatMap((client) => generations.map((server) => [client, server] as const)))(
  '[REPLY-11] a decline of a %s client that no person can have given is stored with the ask, for a %s server',
  async (clientSpeaks, serverSpeaks) => {
    const server = await anAskingServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const options = { surfaces: ['client', 'inbox'], unseenAfterMs: 60_000 } as const
    const { url } = await gateway({ deploy: { url: server.url } }, options)
    const client = await aClient(clientSpeaks, url, { says: () => ({ action: 'decline' }) })

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await until(async () => {
      const { asks } = await store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
      return asks[0]?.fastAnswer === undefined ? undefined : asks[0]
    })
    const view = askView(ask, ann, naming)
    const expired = askView({ ...ask, state: { kind: 'expired', atMs: ask.decideByMs } }, ann, naming)
    await answerInInbox(store, ask, { action: 'accept', content: { region: 'eu' } })
    await calling

    expect(ask.fastAnswer).toEqual({ action: 'decline', afterMs: expect.any(Number) })
    expect(view.askedAgain).toMatch(/^Declined within \d+ s, asked again$/)
    expect(expired.state).toMatchObject({
      what: expect.stringMatching(/^Declined within \d+ s, asked again, then expired$/),
    })
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
  },
)
