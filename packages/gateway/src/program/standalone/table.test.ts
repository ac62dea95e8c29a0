// The table of checkpoint outcomes, row by row, against the program as clients start it: through the forms of real
// clients of both generations, and through the web inbox for clients that cannot ask.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '@assent/store'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ToolResultParts } from '../../../../../test-kit/mcp/tool-result.ts'
import { until } from '../../../../../test-kit/until.ts'
import { aHome, generations, type Home, type Visitor, visit, type Window } from './windows.suite.ts'

const aPlan = { planSummary: 'Add search\n\n1. index\n2. page', phaseCount: 2 }
const aPhase = {
  phaseNumber: 1,
  phaseSummary: 'The index is there.',
  filesModified: ['a.ts'],
  commitMessage: 'feat: index',
}
const committed = (home: Home) => home.commit('feat: index')

interface Row {
  readonly what: string
  readonly tool: 'request_plan_approval' | 'request_phase_commit_approval'
  readonly before?: (home: Home) => void
  readonly answer: object
  /** The same answer is given to a second question of the same call. */
  readonly isAskedAgain?: true
  readonly expected: Partial<Omit<ToolResultParts, 'text'>>
  readonly contains: string
}

const accept = (content: object) => ({ action: 'accept', content })

const rows: readonly Row[] = [
  {
    what: 'the plan is approved',
    tool: 'request_plan_approval',
    answer: accept({ decision: 'approve' }),
    expected: { isError: false, data: { status: 'answered', decision: 'approve', mayContinue: true } },
    contains: 'approved the plan',
  },
  {
    what: 'changes to the plan are requested',
    tool: 'request_plan_approval',
    answer: accept({ decision: 'request_changes', feedback: 'Page first.' }),
    expected: {
      isError: false,
      data: { status: 'answered', decision: 'request_changes', feedback: 'Page first.', mayContinue: false },
    },
    contains: 'Page first.',
  },
  {
    what: 'the plan is cancelled',
    tool: 'request_plan_approval',
    answer: accept({ decision: 'cancel' }),
    expected: { isError: false, data: { status: 'answered', decision: 'cancel', mayContinue: false } },
    contains: 'cancelled the plan',
  },
  {
    what: 'commit and continue',
    tool: 'request_phase_commit_approval',
    before: committed,
    answer: accept({ decision: 'commit_and_continue' }),
    expected: {
      isError: false,
      data: { status: 'answered', commitConfirmed: true, commitChecked: true, mayContinue: true },
    },
    contains: 'Continue with the next phase',
  },
  {
    what: 'commit and pause',
    tool: 'request_phase_commit_approval',
    before: committed,
    answer: accept({ decision: 'commit_and_pause' }),
    expected: { isError: false, data: { status: 'answered', decision: 'commit_and_pause', mayContinue: false } },
    contains: 'wants to pause',
  },
  {
    what: 'revise',
    tool: 'request_phase_commit_approval',
    answer: accept({ decision: 'revise', revisionNotes: 'Rename it.' }),
    expected: {
      isError: false,
      data: { status: 'answered', decision: 'revise', revisionNotes: 'Rename it.', mayContinue: false },
    },
    contains: 'Rename it.',
  },
  {
    what: 'abort',
    tool: 'request_phase_commit_approval',
    answer: accept({ decision: 'abort' }),
    expected: { isError: false, data: { status: 'answered', decision: 'abort', mayContinue: false } },
    contains: 'cancelled the plan',
  },
  {
    what: 'a commit is claimed and not made',
    tool: 'request_phase_commit_approval',
    answer: accept({ decision: 'commit_and_continue' }),
    isAskedAgain: true,
    expected: { isError: true, data: { status: 'commit_missing', commitConfirmed: false, mayContinue: false } },
    contains: 'Remind the user to commit',
  },
  {
    what: 'the dialog is dismissed',
    tool: 'request_plan_approval',
    answer: { action: 'cancel' },
    expected: { isError: true, data: { status: 'cancelled' } },
    contains: 'The plan is not approved.',
  },
  {
    what: 'the question is declined',
    tool: 'request_phase_commit_approval',
    answer: { action: 'decline' },
    expected: { isError: true, data: { status: 'declined' } },
    contains: 'A person said no',
  },
]

const malformed = [
  ['an unknown decision', accept({ decision: 'yes' })],
  ['no content', { action: 'accept' }],
  ['another action', { action: 'approve', content: { decision: 'approve' } }],
  ['too long a note', accept({ decision: 'approve', feedback: 'x'.repeat(1_001) })],
] as const

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

let home: Home
let store: Store

beforeAll(async () => {
  home = await aHome()
  // This window creates the store and serves the inbox; its client cannot ask.
  await home.window('2025-11-25')
  store = await home.store()
})
afterAll(() => home.close())

beforeEach(() => {
  home.git('reset', '-q', '--hard', 'HEAD')
  rmSync(join(home.folder, 'plans'), { recursive: true, force: true })
  rmSync(join(home.project, 'plans'), { recursive: true, force: true })
})

const argsOf = (tool: Row['tool']) => (tool === 'request_plan_approval' ? aPlan : aPhase)

/** The rows about commits need an approved plan. */
async function planned(tool: Row['tool'], approve: () => Promise<ToolResultParts>): Promise<void> {
  if (tool === 'request_phase_commit_approval') expect(await approve()).toMatchObject({ data: { mayContinue: true } })
}

describe.each(generations)('a client of %s', (generation) => {
  describe('that shows forms', () => {
    let window: Window
    let answers: object[] = []
    // Slow enough for the gateway to count a no as a person's.
    const person = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      return answers.shift()
    }
    beforeAll(async () => {
      window = await home.window(generation, person)
    })

    test.each(rows)('[ALONE-1] $what', async ({ tool, before, answer, isAskedAgain, expected, contains }) => {
      const given = isAskedAgain ? [answer, answer] : [answer]
      answers = tool === 'request_plan_approval' ? given : [accept({ decision: 'approve' }), ...given]
      await planned(tool, () => window.call('request_plan_approval', aPlan))
      before?.(home)

      const result = await window.call(tool, argsOf(tool))

      expect(result).toMatchObject(expected)
      expect(result.text).toContain(contains)
      expect(answers).toEqual([])
    })

    // These clients cannot send an unknown action: their SDKs refuse it.
    const sendable = malformed.filter(([what]) => what !== 'another action')
    test.each(sendable)('[ALONE-1] a malformed response is an error: %s', async (_what, answer) => {
      // The question is repeated at most twice.
      answers = [answer, answer, answer]

      const result = await window.call('request_plan_approval', aPlan)

      expect(result).toMatchObject({ isError: true, data: { status: 'validation_failed' } })
      expect(result.data).not.toHaveProperty('decision')
      expect(answers).toEqual([])
    })
  })

  test('[ALONE-1] a question without an answer in time times out', async () => {
    // A 2025 call stays open; a 2026-07-28 client retries after its person has answered, here too late.
    const tooLate = () => new Promise((resolve) => setTimeout(() => resolve(accept({ decision: 'approve' })), 4_000))
    const person = () => (generation === '2025-11-25' ? undefined : tooLate())
    const silent = await home.window(generation, person, { ASSENT_ASKS_WAIT: '2s' })

    const result = await silent.call('request_plan_approval', aPlan)

    expect(result).toMatchObject({ isError: true, data: { status: 'timed_out' } })
    expect(result.text).toContain('No answer in time; treat it as a no.')
  })

  test('[ALONE-1] [ALONE-2] without any surface the result instructs the agent to stop and show a text', async () => {
    const withoutInbox = await home.window(generation, undefined, { ASSENT_ASKS_SURFACES: 'client' })

    const result = await withoutInbox.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({ isError: true, data: { status: 'not_supported' } })
    expect(result.text).toContain('STOP, show the user the following')
    expect(result.text).toContain('reply with "continue", "pause", "request changes" (and which), or "cancel the plan"')
  })

  describe('that cannot ask, with the inbox', () => {
    let window: Window
    let visitor: Visitor
    beforeAll(async () => {
      window = await home.window(generation)
      visitor = await visit(home, store)
    })

    async function answered(tool: string, args: object, ...answers: object[]): Promise<ToolResultParts> {
      const calling = window.call(tool, args)
      for (const answer of answers) {
        const [ask] = await until(async () => {
          const open = await visitor.open()
          return open.length > 0 ? open : undefined
        }, 60_000)
        expect(await visitor.answer(ask?.id ?? '', answer)).toBe(200)
      }
      return calling
    }

    test.each(rows)('[ALONE-1] $what', async ({ tool, before, answer, isAskedAgain, expected, contains }) => {
      const approve = accept({ decision: 'approve' })
      await planned(tool, () => answered('request_plan_approval', aPlan, approve))
      before?.(home)

      const result = await answered(tool, argsOf(tool), ...(isAskedAgain ? [answer, answer] : [answer]))

      expect(result).toMatchObject(expected)
      expect(result.text).toContain(contains)
    })

    test('[ALONE-1] a malformed response is refused where it is given, and the question stays open', async () => {
      const calling = window.call('request_plan_approval', aPlan)
      const [ask] = await until(async () => ((await visitor.open()).length > 0 ? visitor.open() : undefined), 60_000)
      for (const [, answer] of malformed)
        expect(await visitor.answer(ask?.id ?? '', answer)).toBeGreaterThanOrEqual(400)
      expect(await visitor.open()).toHaveLength(1)

      await visitor.answer(ask?.id ?? '', { action: 'cancel' })
      expect(await calling).toMatchObject({ isError: true, data: { status: 'cancelled' } })
    })

    test('[ALONE-1] a question without an answer in time times out', async () => {
      const brief = await home.window(generation, undefined, { ASSENT_ASKS_WAIT: '2s' })

      expect(await brief.call('request_plan_approval', aPlan)).toMatchObject({
        isError: true,
        data: { status: 'timed_out' },
      })
    })
  })
})

test('[ALONE-3] every checkpoint decision is in the audit log, and the log verifies', async () => {
  const decisions: unknown[] = []
  for await (const { body, subject } of store.audit.entries('default')) {
    if (subject === 'checkpoint') decisions.push((JSON.parse(body) as { decision: string }).decision)
  }
  const chosen = ['approve', 'request_changes', 'cancel', 'commit_and_continue', 'commit_and_pause', 'revise', 'abort']
  expect(new Set(decisions)).toEqual(new Set([...chosen, 'declined', 'dismissed', 'timed_out']))
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})
