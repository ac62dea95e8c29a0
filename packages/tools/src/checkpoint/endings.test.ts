import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generations } from '../../../../test-kit/mcp/in-memory.ts'
import type { Decision } from '../workplace/workplace.ts'
import {
  accept,
  anEnd,
  answersInOrder,
  aPhase,
  aPlan,
  connectTools,
  decisionsIn,
  decline,
  dismiss,
  folder,
  removeAfterEach,
  repository,
} from './checkpoint.suite.ts'

removeAfterEach()

const tools = [
  ['request_plan_approval', { ...aPlan, taskName: 'add-search' }, 'feedback', 'request_changes', 'Plan'],
  ['request_phase_commit_approval', aPhase, 'revisionNotes', 'revise', 'Phase 1'],
  [
    'request_completion_review',
    { ...anEnd, taskName: 'add-search' },
    'feedback',
    'request_changes',
    'Completion review',
  ],
] as const

/** Without a plan on record, a phase is kept under this name. */
function taskOf(tool: string): string {
  return tool === 'request_phase_commit_approval' ? 'plan' : 'add-search'
}

describe.each(generations)('on %s', (generation) => {
  describe.each(tools)('%s', (tool, args, note, change, subject) => {
    test.each([
      ['declined', decline('CI is red'), `${subject} declined: CI is red`],
      ['cancelled', dismiss('later'), `${subject} not decided, because the question was dismissed: later`],
      ['declined', decline(), `${subject} declined.`],
    ])('[POINT-10] an ending without a decision is recorded with its reason: %s', async (status, answer, line) => {
      const one = repository()
      const decided: Decision[] = []
      const onDecision = (decision: Decision) => void decided.push(decision)
      const caller = await connectTools(generation, { folder: one.folder, onDecision }, answersInOrder(answer))

      const result = await caller.call(tool, args)

      expect(result).toMatchObject({ isError: true, data: { status } })
      expect(result.data).not.toHaveProperty('decision')
      expect(result.data).not.toHaveProperty('mayContinue')
      expect(decisionsIn(one.folder, taskOf(tool))).toEqual([line])
      expect(result.data.completionFile).toBe(join('plans', `${taskOf(tool)}-complete.md`))
      expect(decided.map(({ decision }) => decision)).toEqual([status === 'cancelled' ? 'dismissed' : status])
    })

    test('[POINT-9] the reason of a decline reaches the agent in the text and as data', async () => {
      const caller = await connectTools(generation, repository(), answersInOrder(decline('the plan misses tests')))

      const result = await caller.call(tool, args)

      expect(result.data.comment).toBe('the plan misses tests')
      expect(result.text).toContain('the plan misses tests')
      expect(result.data.message).toContain('the plan misses tests')
    })

    test('[POINT-10] a question without an answer in time is recorded as timed out', async () => {
      const one = repository()
      // The clock jumps forward while the question is open, so that the test does not have to wait.
      let nowMs = Date.now()
      const late = async () => {
        nowMs += 5 * 60_000
        if (generation === '2025-11-25') await new Promise(() => undefined)
        return accept({ decision: 'approve' })
      }
      const waitMs = generation === '2025-11-25' ? 1_000 : 5 * 60_000
      const caller = await connectTools(generation, { folder: one.folder, waitMs, nowMs: () => nowMs }, late)

      const result = await caller.call(tool, args)

      expect(result).toMatchObject({ isError: true, data: { status: 'timed_out' } })
      expect(result.data).not.toHaveProperty('decision')
      const line = `${subject} not decided, because no person answered in time.`
      expect(decisionsIn(one.folder, taskOf(tool))).toEqual([line])
    })

    test('[POINT-9] a comment reaches the agent next to the note, and replaces an empty one', async () => {
      const answers = [accept({ decision: change }, 'Use FTS5.'), accept({ decision: change, [note]: 'A' }, 'B')]
      const caller = await connectTools(generation, repository(), answersInOrder(...answers))

      const alone = await caller.call(tool, args)
      expect(alone.data).toMatchObject({
        status: 'answered',
        decision: change,
        [note]: 'Use FTS5.',
        comment: 'Use FTS5.',
      })
      expect(alone.text.split('Use FTS5.')).toHaveLength(2)

      const both = await caller.call(tool, args)
      expect(both.data).toMatchObject({ decision: change, [note]: 'A', comment: 'B' })
      expect(both.text).toContain('They wrote: "A" They wrote: "B"')
    })

    test('[POINT-9] a comment makes the separate question for a note unnecessary', async () => {
      const secret = 'Add a login form where users enter their password.'
      const withSecret = { ...args, planSummary: secret, phaseSummary: secret, completionSummary: secret }
      const caller = await connectTools(
        generation,
        repository(),
        answersInOrder(accept({ decision: change }, 'Use passkeys.')),
      )

      const result = await caller.call(tool, withSecret)

      expect(result.data).toMatchObject({ decision: change, [note]: 'Use passkeys.' })
      expect(caller.shown).toHaveLength(1)
    })

    test('[POINT-9] a person who skips the separate question for a note has still decided', async () => {
      const secret = 'Add a login form where users enter their password.'
      const withSecret = { ...args, planSummary: secret, phaseSummary: secret, completionSummary: secret }
      const caller = await connectTools(
        generation,
        repository(),
        answersInOrder(accept({ decision: change }), dismiss()),
      )

      const result = await caller.call(tool, withSecret)

      expect(result).toMatchObject({ isError: false, data: { status: 'answered', decision: change } })
      expect(result.data).not.toHaveProperty(note)
    })
  })

  test('[POINT-10] a cancelled plan and requested changes are recorded in the words of the decision', async () => {
    const one = repository()
    const answers = [accept({ decision: 'request_changes' }, 'smaller'), accept({ decision: 'cancel' }, 'not now')]
    const caller = await connectTools(generation, one, answersInOrder(...answers))

    await caller.call('request_plan_approval', aPlan)
    const cancelled = await caller.call('request_plan_approval', aPlan)

    expect(decisionsIn(one.folder, 'add-search')).toEqual([
      'Changes to the plan requested (2 phases): smaller',
      'Plan cancelled (2 phases): not now',
    ])
    expect(cancelled.data).toMatchObject({ decision: 'cancel', mayContinue: false, comment: 'not now' })
  })

  test('[POINT-10] a call that its caller cancels is not recorded as dismissed by the person', async () => {
    const one = repository()
    const decided: Decision[] = []
    const onDecision = (decision: Decision) => void decided.push(decision)
    const giveUp = new AbortController()
    const person = async () => {
      giveUp.abort()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return dismiss()
    }
    const { client } = await connectTools(generation, { folder: one.folder, onDecision }, person)
    const call = { name: 'request_plan_approval', arguments: aPlan }
    const options = { signal: giveUp.signal }
    const calling =
      'getInstructions' in client && generation === '2025-11-25'
        ? (client.callTool as (...all: unknown[]) => Promise<unknown>).call(client, call, undefined, options)
        : (client.callTool as (...all: unknown[]) => Promise<unknown>).call(client, call, options)

    await expect(calling).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(decided).toEqual([])
    expect(existsSync(join(one.folder, 'plans'))).toBe(false)
  })

  test('[POINT-14] a plan that is not approved does not replace the plan under way', async () => {
    const one = repository()
    const options = { folder: one.folder, stateFolder: folder() }
    const other = { ...aPlan, taskName: 'other', phaseCount: 7 }
    const answers = [decline('no'), dismiss(), accept({ decision: 'cancel' }), accept({ decision: 'request_changes' })]
    const caller = await connectTools(
      generation,
      options,
      answersInOrder(accept({ decision: 'approve' }), ...answers, accept({ decision: 'revise' })),
    )
    await caller.call('request_plan_approval', aPlan)
    for (const _ of answers) await caller.call('request_plan_approval', other)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(caller.shown.at(-1)?.message).toContain('Phase 1 of 2 is done.')
    expect(result.data.completionFile).toBe(join('plans', 'add-search-complete.md'))
    expect(decisionsIn(one.folder, 'other')[0]).toBe('Plan declined: no')
  })
})
