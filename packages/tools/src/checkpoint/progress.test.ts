import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Caller, generations } from '../../../../test-kit/mcp/in-memory.ts'
import type { Repository } from '../git/repository.suite.ts'
import {
  accept,
  anEnd,
  answersInOrder,
  aPhase,
  aPlan,
  connectTools,
  decisionsIn,
  folder,
  removeAfterEach,
  repository,
} from './checkpoint.suite.ts'

removeAfterEach()

const approve = accept({ decision: 'approve' })
const goOn = accept({ decision: 'commit_and_continue' })

async function phaseCommitted(one: Repository, caller: Caller, phaseNumber: number): Promise<string> {
  const id = one.commit(`feat: part ${phaseNumber}`)
  await caller.call('request_phase_commit_approval', { ...aPhase, phaseNumber })
  return id
}

describe.each(generations)('on %s', (generation) => {
  test('[POINT-13] a plan whose phases are all approved and committed is shown as complete', async () => {
    const one = repository()
    const options = { folder: one.folder, stateFolder: folder() }
    const caller = await connectTools(generation, options, answersInOrder(approve, goOn, goOn, approve))
    await caller.call('request_plan_approval', aPlan)
    const first = await phaseCommitted(one, caller, 1)
    const second = await phaseCommitted(one, caller, 2)

    const result = await caller.call('request_completion_review', anEnd)

    expect(result.data).toMatchObject({
      decision: 'approve',
      isClosed: true,
      phasesPlanned: 2,
      phasesRecorded: 2,
      phasesInGit: 2,
      isOnRecord: true,
    })
    expect(result.text).not.toContain('does not show')
    const message = caller.shown.at(-1)?.message ?? ''
    expect(message.split('\n')[0]).toBe('Is this plan complete? 2 of 2 phases have an approved commit in git.')
    expect(message).toContain(
      `- Approved and committed: phase 1 (${first.slice(0, 9)}), phase 2 (${second.slice(0, 9)}).`,
    )
    expect(decisionsIn(one.folder, 'add-search').at(-1)).toBe(
      'Completion approved (2 of 2 phases have an approved commit in git).',
    )
  })

  test('[POINT-13] an agent that reports more phases than are committed cannot make the plan look complete', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, approve))
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 3 })
    await phaseCommitted(one, caller, 1)
    // Commits alone are not enough: no person approved them as phases.
    one.commit('feat: part 2')
    one.commit('feat: part 3')

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 3 })

    expect(result.data).toMatchObject({
      decision: 'approve',
      isClosed: true,
      phasesPlanned: 3,
      phasesRecorded: 1,
      phasesInGit: 1,
      isOnRecord: false,
    })
    expect(result.text).toContain('The record does not show a complete plan: 1 of 3 phases')
    const message = caller.shown.at(-1)?.message ?? ''
    expect(message.split('\n')[0]).toContain('Its record is incomplete: 1 of 3 phases')
    expect(message).toContain('- The approved plan has 3 phases. The agent reports 3 completed.')
    expect(message).toContain('- ⚠ No approved commit: phases 2, 3.')
    expect(decisionsIn(one.folder, 'add-search').at(-1)).toContain('(1 of 3 phases')
  })

  test('[POINT-13] a phase that the agent does not report still counts as missing', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, approve))
    await caller.call('request_plan_approval', aPlan)
    await phaseCommitted(one, caller, 1)

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 1 })

    expect(result.data).toMatchObject({ phasesPlanned: 2, phasesInGit: 1, isOnRecord: false })
  })

  test('[POINT-13] without an approved plan the review states that, whatever the agent reports', async () => {
    const one = repository()
    one.commit('feat: everything')
    const caller = await connectTools(generation, one, answersInOrder(approve))

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 0 })

    expect(result.data).toMatchObject({ phasesRecorded: 0, phasesInGit: 0, isOnRecord: false })
    expect(result.data).not.toHaveProperty('phasesPlanned')
    expect(caller.shown[0]?.message).toContain('No approved plan is on record.')
  })

  test('[POINT-13] a review under another name does not use or end the record of the plan under way', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, approve, goOn, approve))
    await caller.call('request_plan_approval', aPlan)
    await phaseCommitted(one, caller, 1)

    const other = await caller.call('request_completion_review', { ...anEnd, taskName: 'other' })
    await phaseCommitted(one, caller, 2)
    const own = await caller.call('request_completion_review', anEnd)

    expect(other.data).toMatchObject({ isOnRecord: false, phasesRecorded: 0 })
    expect(own.data).toMatchObject({ isOnRecord: true, phasesInGit: 2 })
  })

  test('[POINT-13] an approved commit that is no longer in the history does not count', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, approve))
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 1 })
    const id = await phaseCommitted(one, caller, 1)
    one.git('reset', '-q', '--hard', 'HEAD~1')

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 1 })

    expect(result.data).toMatchObject({ phasesRecorded: 1, phasesInGit: 0, isOnRecord: false })
    expect(caller.shown.at(-1)?.message).toContain(
      `Approved, but without a separate commit in git's history: phase 1 (${id.slice(0, 9)}).`,
    )
  })

  test('[POINT-13] a phase that is to be revised no longer counts', async () => {
    const one = repository()
    const caller = await connectTools(
      generation,
      one,
      answersInOrder(approve, goOn, accept({ decision: 'revise' }, 'rename it'), approve),
    )
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 1 })
    await phaseCommitted(one, caller, 1)
    await caller.call('request_phase_commit_approval', aPhase)

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 1 })

    expect(result.data).toMatchObject({ phasesRecorded: 0, isOnRecord: false })
  })

  test('[POINT-13] where git cannot be read no phase counts', async () => {
    const confirmed = accept({ decision: 'commit_and_continue', commitConfirmed: true })
    const caller = await connectTools(generation, { folder: folder() }, answersInOrder(approve, confirmed, approve))
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 1 })
    await caller.call('request_phase_commit_approval', aPhase)

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 1 })

    expect(result.data).toMatchObject({ phasesRecorded: 1, phasesInGit: 0, isOnRecord: false })
    expect(caller.shown.at(-1)?.message).toContain('Git could not be read, so no commit was checked')
  })

  test('[POINT-14] after an abort the review continues the same completion file and shows the abort', async () => {
    const one = repository()
    const options = { folder: one.folder, stateFolder: folder() }
    const abort = accept({ decision: 'abort' }, 'the customer left')
    const caller = await connectTools(generation, options, answersInOrder(approve, goOn, abort, approve))
    await caller.call('request_plan_approval', aPlan)
    await phaseCommitted(one, caller, 1)
    await caller.call('request_phase_commit_approval', { ...aPhase, phaseNumber: 2 })

    const result = await caller.call('request_completion_review', { ...anEnd, completionSummary: 'All done.' })

    expect(result.data.completionFile).toBe(join('plans', 'add-search-complete.md'))
    expect(result.data).toMatchObject({ isOnRecord: false, phasesInGit: 1 })
    expect(caller.shown.at(-1)?.message).toContain('- ⚠ The plan was cancelled after it had begun.')
    expect(decisionsIn(one.folder, 'add-search').slice(-2)).toEqual([
      'Phase 2: plan cancelled: the customer left',
      'Completion approved (1 of 2 phases have an approved commit in git).',
    ])
  })

  test('[POINT-14] after an abort, earlier commits do not count for a phase of later work', async () => {
    const one = repository()
    const answers = [approve, accept({ decision: 'abort' }), goOn, goOn]
    const caller = await connectTools(generation, one, answersInOrder(...answers))
    await caller.call('request_plan_approval', aPlan)
    await caller.call('request_phase_commit_approval', aPhase)
    one.commit('chore: something of last month')

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result.data).toMatchObject({ status: 'commit_missing', mayContinue: false })
  })

  test('[POINT-13] a plan that is approved again starts without committed phases', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, approve, approve))
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 1 })
    await phaseCommitted(one, caller, 1)
    await caller.call('request_plan_approval', { ...aPlan, phaseCount: 1 })

    const result = await caller.call('request_completion_review', { ...anEnd, phasesCompleted: 1 })

    expect(result.data).toMatchObject({ phasesRecorded: 0, isOnRecord: false })
  })

  test('[POINT-15] file names and commit messages cannot add a line to what Assent checked', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn))
    await caller.call('request_plan_approval', aPlan)
    one.commit('feat" passed. All tests: "passed\n\n- Tests: passed.')
    one.write('x\n- Tests: passed.', '')
    one.write('plain name.txt', '')

    await caller.call('request_phase_commit_approval', aPhase)

    const block = caller.shown[1]?.message.split('\n\n')[1] ?? ''
    const lines = block.split('\n')
    expect(lines[0]).toBe('Checked by Assent:')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(/^- Committed: [0-9a-f]{9} "feat' passed\. All tests: 'passed"\.$/)
    expect(lines[3]).toBe('- ⚠ 2 changes are not committed: plain name.txt, "x\\u{a}- Tests: passed.".')
  })
})
