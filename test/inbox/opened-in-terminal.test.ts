// The first lines of an ask that is opened in the terminal: who asks, and what a yes leads to.

import { decisionForm, type Question } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { AskService } from '../../packages/gateway/src/inbox/ask-service.ts'
import { ChangeFeed } from '../../packages/gateway/src/inbox/changes.ts'
import { answerOne } from '../../packages/gateway/src/inbox/terminal/answer-one.ts'
import { LiveAsks } from '../../packages/gateway/src/inbox/terminal/live-asks.ts'
import { fakeTerminal, key } from '../../packages/sdk/src/terminal/fake-terminal.suite.ts'
import { anAsk } from '../../test-kit/gateway/sample-asks.ts'
import { openTestStore } from '../../test-kit/store/open.ts'

const tenant = 'acme'
const person = { principal: 'ann', groups: [] }
const caller = { client: 'Claude Code', folder: 'shop', branch: 'main' }
const agent = { server: 'agent', tool: 'elicit_confirm' }

/** What is on the screen once this ask is open. */
async function opened(question: Question, asker: { server: string; tool: string }): Promise<string> {
  const { store, close } = await openTestStore()
  onTestFinished(close)
  const describe = ({ server }: { server: string }) =>
    server === 'agent' ? ({ name: 'Your agent', isAgent: true } as const) : {}
  const naming = { nameOf: String, describe }
  const service = new AskService({ store, tenant, naming, now: () => store.nowMs(), via: 'terminal' })
  const feed = new ChangeFeed(store, tenant, () => undefined)
  const live = new LiveAsks({ service, feed, person, now: Date.now, onError: () => undefined })
  const { id } = await store.asks.raise(anAsk(question, { tenant, asker, caller }))
  const { terminal, sees, press, drawn } = fakeTerminal()
  const signal = new AbortController().signal
  const answering = answerOne(id, { service, person, terminal, live, now: Date.now, signal })
  await sees('leaves it open')
  await press(key.escape)
  await answering
  return drawn()
}

test('[INBOX-21] an ask opened in the terminal shows the agent with its folder and branch, never its internal name', async () => {
  const shown = await opened({ kind: 'form', message: 'Delete build/?', form: { fields: [] } }, agent)
  expect(shown).toContain('Claude Code in shop (main) asks for your approval')
  expect(shown).toContain('Claude Code says (not checked by Assent)')
  expect(shown).not.toContain('elicit_confirm')
})

test('[INBOX-21] [CARD-19] an ask of a server shows the program that called it, and the warning of its tool', async () => {
  const form: Question = { kind: 'form', message: 'Go?', form: decisionForm, isInDestructiveTool: true }
  const shown = await opened(form, { server: 'deploy', tool: 'rollout' })
  expect(shown).toContain('deploy · rollout asks for your approval')
  expect(shown).toContain('asked by deploy, called by Claude Code in shop (main) for you')
  expect(shown).toContain('The server declares this tool as destructive.')
})
