import type { AssentError } from '@assent/core'
import { answerMeta } from '@assent/core'
import { afterEach, describe, expect, test } from 'vitest'
import { createAssent, interactive } from './assent.ts'
import { type Caller, type ConnectedHandler, connectionKinds, type Person } from './connections.suite.ts'
import { yielding } from './generator/yielding.ts'
import { roundsOf } from './rounds.suite.ts'
import { callTool } from './testing/call-tool.ts'
import { scriptedPerson } from './testing/person.ts'

let open: Caller | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

const withMeta = (comment: string) => ({ _meta: answerMeta({ comment }) })
const commentOf = (error: AssentError) => `${error.code}: ${error.comment}`

// The 2026 client of SDK 2 drops `_meta` of an answer that its person gives; a gateway does not. See the rounds below.
describe.each(connectionKinds.filter(({ revision }) => revision !== '2026-07-28'))('$revision: $name', (way) => {
  async function play(handler: ConnectedHandler, person: Person): Promise<Caller> {
    open = await way.open({
      assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
      tools: { tool: handler },
      person,
    })
    return open
  }

  test('[REPLY-1] the comment on an accept comes with the value, and `ask` alone returns the value', async () => {
    const caller = await play(
      async (_, { ask }) => {
        const { value, comment } = await ask.withComment(ask.choose('Which?', ['sqlite', 'postgres']))
        const plain = await ask.withComment(ask.text('Name?'))
        const both = await ask.all({ sure: ask.withComment(ask.confirm('Sure?')), size: ask.number('Size?') })
        return JSON.stringify([value, comment, plain, both])
      },
      ({ message }) => {
        if (message === 'Which?') return { action: 'accept', content: { choice: 'sqlite' }, ...withMeta('we run it') }
        if (message === 'Name?') return { action: 'accept', content: { text: 'notes' } }
        if (message === 'Sure?') return { action: 'accept', content: { confirmed: true }, ...withMeta('go') }
        return { action: 'accept', content: { number: 4 }, ...withMeta('not read') }
      },
    )
    const expected = ['sqlite', 'we run it', { value: 'notes' }, { sure: { value: true, comment: 'go' }, size: 4 }]
    expect(JSON.parse((await caller.call('tool')).text)).toEqual(expected)
  })

  test('[REPLY-1] the comment on a no comes with the false of a confirm, and on the error of every other ask', async () => {
    const caller = await play(
      async (_, { ask }) => {
        const no = await ask.withComment(ask.confirm('decline confirm'))
        const declined = await ask.text('decline text').catch(commentOf)
        const dismissed = await ask.withComment(ask.number('cancel number')).catch(commentOf)
        return JSON.stringify([no, declined, dismissed])
      },
      ({ message }) => ({ action: message.split(' ')[0], ...withMeta(`about ${message}`) }),
    )
    const expected = [
      { value: false, comment: 'about decline confirm' },
      'declined: about decline text',
      'cancelled: about cancel number',
    ]
    expect(JSON.parse((await caller.call('tool')).text)).toEqual(expected)
  })

  test('[REPLY-1] the comment on a decline that the handler does not catch is in the text for the agent and next to its code', async () => {
    const caller = await play(
      async (_, { ask }) => ask.text('Branch name?'),
      () => ({ action: 'decline', ...withMeta('rebase first') }),
    )
    const { text, meta } = await caller.call('tool')
    expect(text).toContain('The person declined "Branch name?". They wrote: rebase first')
    expect(meta).toMatchObject({ 'assent/refusal': { code: 'declined', comment: 'rebase first' } })
  })

  test('[REPLY-1] an approval’s comment is in the result of the gate, and a refused one runs nothing', async () => {
    let runs = 0
    const caller = await play(
      async ({ env }, { gate }) => {
        const { value, comment } = await gate({ title: `Deploy ${env}`, arguments: { env } }, () => ++runs)
        return `${value} ${comment}`
      },
      ({ message }) =>
        message.includes('prod')
          ? { action: 'decline', content: { comment: 'CI is red' } }
          : { action: 'accept', content: { decision: 'approve' }, ...withMeta('tests are green') },
    )
    expect((await caller.call('tool', { env: 'test' })).text).toBe('1 tests are green')
    expect((await caller.call('tool', { env: 'prod' })).text).toContain('They wrote: CI is red')
    expect(runs).toBe(1)
  })
})

describe('texts', () => {
  const [way] = connectionKinds
  const long =
    'Change 3 instruction files in this repository and remove the two that repeat them, now?\n\n  AGENTS.md\n  CLAUDE.md'

  test.each(['decline', 'cancel'])(
    '[REPLY-3] a %s names a long question by its first line, cut at a word',
    async (action) => {
      open = await way?.open({
        assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
        tools: { tool: async (_, { ask }) => ask.text(long) },
        person: () => ({ action }),
      })
      const text = (await open?.call('tool'))?.text ?? ''
      expect(text).toContain('"Change 3 instruction files in this repository and remove the two that repeat…"')
      expect(text).not.toMatch(/[⟨⟩]|more character/)
    },
  )
})

test('[REPLY-1] on 2026-07-28 each comment stays with its answer while the handler runs again for the next', async () => {
  const play = roundsOf(createAssent({ name: 'staged', unseenAfterMs: 0 }).interactive, async (_, { ask, gate }) => {
    const first = await ask.withComment(ask.choose('Which?', ['sqlite', 'postgres']))
    const no = await ask.withComment(ask.confirm('Sure?'))
    const dismissed = await ask.text('Name?').catch(commentOf)
    const { comment } = await gate({ title: 'Deploy', arguments: {} }, () => 1)
    return JSON.stringify([first, no, dismissed, comment])
  })
  const answers = [
    { action: 'accept', content: { choice: 'sqlite' }, ...withMeta('we run it') },
    { action: 'decline', ...withMeta('CI is red') },
    { action: 'cancel', ...withMeta('not now') },
    { action: 'accept', content: { decision: 'approve' }, ...withMeta('green') },
  ]
  let round = await play()
  for (const answer of answers) {
    const [key = ''] = Object.keys(round.questions)
    round = await play(undefined, { state: round.state, answers: { [key]: answer } })
  }
  expect(JSON.parse(round.text)).toEqual([
    { value: 'sqlite', comment: 'we run it' },
    { value: false, comment: 'CI is red' },
    'cancelled: not now',
    'green',
  ])
})

test('[REPLY-2] content.comment of a decline reaches the handler over a 2026 client too', async () => {
  const way = connectionKinds.find(({ revision }) => revision === '2026-07-28')
  open = await way?.open({
    assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
    tools: { tool: async (_, { ask }) => ask.text('Name?') },
    person: () => ({ action: 'decline', content: { comment: 'wrong direction' } }),
  })
  expect((await open?.call('tool'))?.text).toContain('They wrote: wrong direction')
})

test('[REPLY-1] a generator gets the comment with yield*, and a scripted person can write one', async () => {
  const handler = interactive(
    yielding(function* ({ ask }) {
      const { value, comment } = yield* ask.withComment(ask.confirm('Deploy?'))
      return `${value} ${comment}`
    }),
  )
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    const { text } = await callTool(handler, undefined, {
      revision,
      person: scriptedPerson().declines({ comment: 'CI is red' }),
    })
    expect(text).toBe('false CI is red')
  }
})

test('[REPLY-4] a destructive question states once that it cannot be undone, also if the agent wrote it', async () => {
  const asked: string[] = []
  const [way] = connectionKinds
  const destructive = { risk: 'destructive' } as const
  open = await way?.open({
    assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
    tools: {
      tool: async (_, { ask }) => {
        await ask.confirm('Delete build/?', destructive)
        await ask.confirm('Delete build/? This cannot be undone.', destructive)
        await ask.confirm('Delete build/?', { ...destructive, reason: "It is old.\nThis can't be undone!" })
        await ask.confirm('Delete build/? Not all of this cannot be undone.', destructive)
        return 'done'
      },
    },
    person: ({ message }) => {
      asked.push(message)
      return { action: 'decline' }
    },
  })
  await open?.call('tool')
  expect(asked.map((message) => message.match(/this can(?:not|'t) be undone/gi)?.length)).toEqual([1, 1, 1, 2])
})

test('[REPLY-1] withComment takes what ask returned and nothing else', async () => {
  const [way] = connectionKinds
  open = await way?.open({
    assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
    tools: { tool: async (_, { ask }) => String(await ask.withComment(Promise.resolve(4)).catch(commentOf)) },
    person: () => ({ action: 'cancel' }),
  })
  expect((await open?.call('tool'))?.text).toBe('misconfigured: undefined')
})
