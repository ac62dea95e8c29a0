import { describe, expect, test } from 'vitest'
import { generations } from '../../../../test-kit/mcp/in-memory.ts'
import {
  accept,
  answersInOrder,
  aPhase,
  aPlan,
  connectTools,
  decisionsIn,
  decline,
  folder,
  removeAfterEach,
  repository,
} from './checkpoint.suite.ts'

removeAfterEach()

const approve = accept({ decision: 'approve' })
const goOn = accept({ decision: 'commit_and_continue' })

describe.each(generations)('on %s', (generation) => {
  test('[POINT-11] without a commit the person is asked again at once, with the reason, and can commit and continue', async () => {
    const one = repository()
    let id = ''
    const committing = () => {
      id = one.commit('feat: index')
      return goOn
    }
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, committing))
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: false,
      data: { status: 'answered', decision: 'commit_and_continue', mayContinue: true, commit: { id } },
    })
    expect(caller.shown).toHaveLength(3)
    const [first, second] = caller.shown.slice(1)
    expect(first?.message).toContain('Phase 1 of 2 is done. Commit it, then choose how to continue.')
    expect(second?.message.split('\n')[0]).toBe(
      'Phase 1 of 2 cannot continue yet: no new commit. Commit, then try again.',
    )
    expect(second?.requestedSchema).toEqual(first?.requestedSchema)
    expect(decisionsIn(one.folder, 'add-search').slice(1)).toEqual([
      'Phase 1: not continued, because nothing was committed.',
      `Phase 1: committed at ${id.slice(0, 9)}, continue.`,
    ])
  })

  test('[POINT-11] after two refusals the agent gets commit_missing and there is no third question', async () => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, goOn))
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: true,
      data: { status: 'commit_missing', mayContinue: false, commitConfirmed: false },
    })
    expect(caller.shown).toHaveLength(3)
  })

  test.each([
    ['declined', decline('I will do it tomorrow'), 'declined'],
    ['invalid', accept({ decision: 'yes' }), 'validation_failed'],
  ])('[POINT-11] when the second question is %s, the phase may not continue', async (_what, answer, status) => {
    const one = repository()
    const caller = await connectTools(generation, one, answersInOrder(approve, goOn, answer))
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({ isError: true, data: { status } })
    expect(result.data).not.toHaveProperty('mayContinue')
  })

  test('[POINT-11] another decision at the second question counts', async () => {
    const one = repository()
    const caller = await connectTools(
      generation,
      one,
      answersInOrder(approve, goOn, accept({ decision: 'abort' }, 'enough')),
    )
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result.data).toMatchObject({ decision: 'abort', mayContinue: false, comment: 'enough' })
  })

  test('[POINT-11] where git cannot be read, the second question asks for the confirmation', async () => {
    const confirmed = accept({ decision: 'commit_and_continue', commitConfirmed: true })
    const caller = await connectTools(generation, { folder: folder() }, answersInOrder(goOn, confirmed))

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result.data).toMatchObject({ mayContinue: true, commitConfirmed: true, commitChecked: false })
    expect(caller.shown[1]?.message).toContain('git cannot be checked here')
  })

  test('[POINT-12] a pause without a commit reminds of it, and the file records that nothing was committed', async () => {
    const one = repository()
    const caller = await connectTools(
      generation,
      one,
      answersInOrder(approve, accept({ decision: 'commit_and_pause' })),
    )
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: false,
      data: { decision: 'commit_and_pause', commitConfirmed: false, mayContinue: false },
    })
    expect(result.text).toContain('remind the user to commit')
    expect(result.text).toContain('feat: index')
    expect(decisionsIn(one.folder, 'add-search')).toContain('Phase 1: paused, not committed.')
  })

  test('[POINT-12] a pause with a commit does not remind', async () => {
    const one = repository()
    const caller = await connectTools(
      generation,
      one,
      answersInOrder(approve, accept({ decision: 'commit_and_pause' })),
    )
    await caller.call('request_plan_approval', aPlan)
    one.commit('feat: index')

    expect((await caller.call('request_phase_commit_approval', aPhase)).text).not.toContain('remind')
  })
})
