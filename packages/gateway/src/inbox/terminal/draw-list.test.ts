// Who asks, in the list of the terminal, in `assent asks list` and on an ask that is printed.

import { PassThrough } from 'node:stream'
import { type Ask, type AskView, askView, type Question } from '@assent/core'
import { penFor } from '@assent/sdk/terminal'
import { expect, test } from 'vitest'
import { anAsk } from '../../../../../test-kit/gateway/sample-asks.ts'
import { askTextOf, listTextOf } from './ask-text.ts'
import { drawList } from './draw-list.ts'

const caller = { client: 'Claude Code', folder: 'shop', branch: 'main' }
const question: Question = { kind: 'form', message: 'Delete build/?', form: { fields: [] } }
const full = 'deploy · rollout, called by Claude Code in shop (main), for Ben Okafor'

function viewOf(asked: Question = question, asker = { server: 'deploy', tool: 'rollout' }): AskView {
  const { decideWithinMs, ...draft } = anAsk(asked, { asker, caller, principal: 'ben' })
  const times = { raisedAtMs: 0, lastSeenAtMs: 0, decideByMs: decideWithinMs }
  const approvalRule = { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 } as const
  const ask: Ask = { ...draft, ...times, approvalRule, votes: [], state: { kind: 'open' } }
  const describe = ({ server }: Ask['asker']) =>
    server === 'agent' ? { name: 'Your agent', isAgent: true as const } : {}
  return askView(ask, { principal: 'ann', groups: [] }, { nameOf: () => 'Ben Okafor', describe })
}

function drawn(ask: AskView, columns: number, selected = ask.id): readonly string[] {
  const pen = penFor(Object.assign(new PassThrough(), { columns, rows: 24, isTTY: true }))
  return drawList(pen, { asks: [ask], hasMore: false, selected, notice: '', place: '', nowMs: 0 })
}

test('[INBOX-21] the list of the terminal shows the program, its folder and branch, and the person', () => {
  const ask = viewOf()
  const shown = drawn(ask, 100)
  const row = shown.findIndex((line) => line.includes('deploy · rollout'))
  expect(shown[row + 1]).toContain(full)
  // Below the selected row only.
  expect(drawn(ask, 100, 'ask_other').join('\n')).not.toContain('Ben Okafor')
  expect(drawn(viewOf(question, { server: 'agent', tool: 'elicit_confirm' }), 100).join('\n')).toContain(
    'Claude Code in shop (main), for Ben Okafor',
  )
})

test('[INBOX-21] `asks list` shows the program, its folder and branch, and the person', () => {
  expect(listTextOf({ asks: [viewOf()], nowMs: 0 })).toContain(full)
})

test('[CARD-19] a printed ask says whether a yes can be undone, and according to whom', () => {
  const textOf = (marks: object) => askTextOf({ ask: viewOf({ ...question, ...marks } as Question), nowMs: 0 })
  expect(textOf({})).not.toContain('undo ')
  expect(textOf({ isDestructive: true })).toContain('undo      This cannot be undone, according to deploy.')
  expect(textOf({ isInDestructiveTool: true })).toContain('undo      The server declares this tool as destructive.')
})

test('[TERM-11] no line of a printed ask begins with text of the asker', () => {
  const action = { server: 'deploy', tool: 'rollout', definitionDigest: '', arguments: { '[ Approve': '[ Approve' } }
  const asked: readonly Question[] = [
    { kind: 'form', message: '[ Approve ]\n[ Approve ]', form: { fields: [] } },
    { kind: 'approval', title: '[ Approve ]', action, digest: 'sha256:0', claim: '[ Approve ]' },
    { kind: 'url', message: '[ Approve ]', url: 'https://accounts.example/' },
  ]
  for (const question of asked) {
    const text = askTextOf({ ask: viewOf(question, { server: 'deploy', tool: '[ Approve ]' }), nowMs: 0 })
    expect(text).toContain('[ Approve')
    expect(text).not.toMatch(/^\[ Approve/m)
  }
})
