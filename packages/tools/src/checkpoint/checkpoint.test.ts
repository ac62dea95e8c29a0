import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generations, type Person } from '../../../../test-kit/mcp/in-memory.ts'
import type { Decision } from '../workplace/workplace.ts'
import { anEnd, aPhase, aPlan, connectTools, folder, removeAfterEach, repository } from './checkpoint.suite.ts'

removeAfterEach()

/** A person who gives these contents one after the other. */
function accepting(...contents: object[]): Person {
  let at = 0
  return () => ({ action: 'accept', content: contents[at++] })
}

describe.each(generations)('on %s', (generation) => {
  test.each([
    ['approve', true],
    ['request_changes', false],
    ['cancel', false],
  ])('[POINT-1] a plan is shown in full, and %s is returned as the decision', async (decision, mayContinue) => {
    const one = repository()
    const caller = await connectTools(generation, one, accepting({ decision, feedback: 'Mind the umlauts.' }))

    const result = await caller.call('request_plan_approval', aPlan)

    expect(result).toMatchObject({
      isError: false,
      data: { status: 'answered', decision, feedback: 'Mind the umlauts.', mayContinue },
    })
    expect(result.text).toContain('Mind the umlauts.')
    const [shown] = caller.shown
    expect(shown?.message).toContain('1. index\n2. page')
    expect(shown?.message).toContain('- Which engine?')
    expect(Object.keys(shown?.requestedSchema.properties ?? {})).toEqual(['decision', 'feedback'])
    expect(shown?.requestedSchema.properties.feedback).toMatchObject({ maxLength: 1_000 })
    expect(shown?.requestedSchema.required).toEqual(['decision'])
  })

  test('[POINT-2] after a commit the next phase may begin, and the question shows what git reports', async () => {
    const one = repository()
    const caller = await connectTools(
      generation,
      one,
      accepting({ decision: 'approve' }, { decision: 'commit_and_continue' }),
    )
    await caller.call('request_plan_approval', aPlan)
    one.write('a.ts', '')
    const id = one.commit('feat: index')

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: false,
      data: {
        status: 'answered',
        decision: 'commit_and_continue',
        commitConfirmed: true,
        commitChecked: true,
        commit: { id, subject: 'feat: index', messageMatches: true },
        treeClean: true,
        mayContinue: true,
      },
    })
    const shown = caller.shown[1]
    expect(shown?.message).toContain('Phase 1 of 2')
    expect(shown?.message).toContain(`Committed: ${id.slice(0, 9)} "feat: index".`)
    expect(shown?.message).toContain('Nothing is left uncommitted.')
    // Git shows whether there is a commit, so the person is not asked.
    expect(Object.keys(shown?.requestedSchema.properties ?? {})).toEqual(['decision', 'revisionNotes'])
    const { decision, revisionNotes } = shown?.requestedSchema.properties ?? {}
    for (const label of ['Continue', 'Pause here', 'Request changes', 'Cancel the plan'])
      expect(JSON.stringify(decision)).toContain(`"${label}"`)
    expect(revisionNotes).toMatchObject({ title: 'Comment' })
    expect(shown?.requestedSchema.properties.revisionNotes).toMatchObject({ maxLength: 1_000 })
  })

  test('[POINT-3] continuing without a commit is refused with a reminder', async () => {
    const one = repository()
    const goOn = { decision: 'commit_and_continue' }
    const caller = await connectTools(generation, one, accepting({ decision: 'approve' }, goOn, goOn))
    await caller.call('request_plan_approval', aPlan)
    one.write('a.ts', '')

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: true,
      data: { status: 'commit_missing', commitConfirmed: false, mayContinue: false, treeClean: false },
    })
    expect(result.text).toContain('Remind the user to commit')
    expect(result.text).toContain('feat: index')
    expect(caller.shown[1]?.message).toContain('There is no new commit since the phase began.')
    expect(caller.shown[1]?.message).toContain('One change is not committed: a.ts.')
  })

  test('[POINT-3] a commit counts even if it is made while the question is open', async () => {
    const one = repository()
    const answers = [{ decision: 'approve' }, { decision: 'commit_and_continue' }]
    const caller = await connectTools(generation, one, () => {
      const content = answers.shift()
      if (answers.length === 0) one.commit('feat: something else')
      return { action: 'accept', content }
    })
    await caller.call('request_plan_approval', aPlan)

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: false,
      data: { mayContinue: true, commit: { subject: 'feat: something else', messageMatches: false } },
    })
    expect(result.text).toContain('Its message is not the proposed one.')
  })

  test('[POINT-3] the commit of one phase does not count for the next', async () => {
    const one = repository()
    const goOn = { decision: 'commit_and_continue' }
    const caller = await connectTools(generation, one, accepting({ decision: 'approve' }, goOn, goOn, goOn))
    await caller.call('request_plan_approval', aPlan)
    one.commit('feat: index')
    await caller.call('request_phase_commit_approval', aPhase)

    const result = await caller.call('request_phase_commit_approval', { ...aPhase, phaseNumber: 2 })

    expect(result).toMatchObject({ isError: true, data: { status: 'commit_missing' } })
  })

  test('[POINT-3] without a plan the last commit counts if it has the proposed message, and not otherwise', async () => {
    const one = repository()
    const goOn = { decision: 'commit_and_continue' }
    const caller = await connectTools(generation, one, accepting(goOn, goOn, goOn))

    expect(await caller.call('request_phase_commit_approval', aPhase)).toMatchObject({
      data: { status: 'commit_missing' },
    })
    one.commit('feat: index')
    expect(await caller.call('request_phase_commit_approval', aPhase)).toMatchObject({ data: { mayContinue: true } })
  })

  test.each([
    [true, { isError: false, data: { mayContinue: true, commitConfirmed: true, commitChecked: false } }],
    [false, { isError: true, data: { status: 'commit_missing', mayContinue: false, commitChecked: false } }],
  ])(
    '[POINT-3] where git cannot be read the box decides (%s), and the result states that nothing was checked',
    async (ticked, expected) => {
      const answer = { decision: 'commit_and_continue', commitConfirmed: ticked }
      const caller = await connectTools(generation, { folder: folder() }, accepting(answer, answer))

      const result = await caller.call('request_phase_commit_approval', aPhase)

      expect(result).toMatchObject(expected)
      expect(result.text).toContain('Git could not be read')
      // A default would be drawn as the suggestion "No" under the decision "Committed".
      expect(caller.shown[0]?.requestedSchema.properties.commitConfirmed).toMatchObject({ type: 'boolean' })
      expect(caller.shown[0]?.requestedSchema.properties.commitConfirmed).not.toHaveProperty('default')
    },
  )

  test.each([
    ['commit_and_pause', 'wants to pause'],
    ['revise', 'Rename it.'],
    ['abort', 'cancelled the plan'],
  ])('[POINT-2] %s is returned as the decision, and the next phase may not begin', async (decision, words) => {
    const one = repository()
    const caller = await connectTools(generation, one, accepting({ decision, revisionNotes: 'Rename it.' }))

    const result = await caller.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({
      isError: false,
      data: { decision, revisionNotes: 'Rename it.', mayContinue: false },
    })
    expect(result.text).toContain(words)
  })

  test('[POINT-4] a finished plan is closed by a person, and what is not committed is in the question', async () => {
    const one = repository()
    one.write('left.txt', 'x')
    const caller = await connectTools(generation, one, accepting({ decision: 'approve' }))

    const result = await caller.call('request_completion_review', anEnd)

    expect(result).toMatchObject({ isError: false, data: { status: 'answered', decision: 'approve', isClosed: true } })
    expect(caller.shown[0]?.message).toContain('Not committed: left.txt.')
  })

  test('[POINT-5] every decision is in the completion file, once, even if the agent rewrites the file', async () => {
    const one = repository()
    const received: Decision[] = []
    const options = {
      folder: one.folder,
      stateFolder: folder(),
      onDecision: (decision: Decision) => void received.push(decision),
    }
    const contents = [
      { decision: 'approve', feedback: 'Go -->\n slowly' },
      { decision: 'commit_and_continue' },
      { decision: 'commit_and_continue' },
      { decision: 'commit_and_pause' },
      { decision: 'approve' },
    ]
    const caller = await connectTools(generation, options, accepting(...contents))
    const file = join(one.folder, 'plans', 'add-search-complete.md')

    const planned = await caller.call('request_plan_approval', aPlan)
    await caller.call('request_phase_commit_approval', aPhase)
    const id = one.commit('feat: index')
    writeFileSync(file, '## Plan Complete: Add search\n\nIt works.\n')
    await caller.call('request_phase_commit_approval', aPhase)
    await caller.call('request_completion_review', anEnd)

    expect(planned.data.completionFile).toBe(join('plans', 'add-search-complete.md'))
    const written = readFileSync(file, 'utf8')
    expect(written).toContain('## Plan Complete: Add search\n\nIt works.\n\n## Decisions')
    const lines = written.split('\n').filter((line) => line.startsWith('- '))
    expect(lines.map((line) => line.slice(2).replace(/^\S+ /, ''))).toEqual([
      'Plan approved (2 phases): Go -- > slowly',
      'Phase 1: not continued, because nothing was committed.',
      'Phase 1: not continued, because nothing was committed.',
      `Phase 1: committed at ${id.slice(0, 9)}, pause.`,
      'Completion approved (1 of 2 phases have an approved commit in git).',
    ])
    expect(received.map(({ checkpoint, decision, task, refused }) => [checkpoint, decision, task, refused])).toEqual([
      ['plan', 'approve', 'add-search', undefined],
      ['phase', 'commit_and_continue', 'add-search', 'commit_missing'],
      ['phase', 'commit_and_continue', 'add-search', 'commit_missing'],
      ['phase', 'commit_and_pause', 'add-search', undefined],
      ['completion', 'approve', 'add-search', undefined],
    ])
  })

  test('[POINT-5] a completion file outside the project is not written, and the result reports it', async () => {
    const one = repository()
    const outside = folder()
    symlinkSync(outside, join(one.folder, 'plans'))
    const caller = await connectTools(generation, one, accepting({ decision: 'approve' }, { decision: 'approve' }))

    const viaLink = await caller.call('request_plan_approval', aPlan)
    expect(viaLink).toMatchObject({ isError: false, data: { decision: 'approve' } })
    expect(viaLink.text).toContain('could not be written')
    expect(existsSync(join(outside, 'add-search-complete.md'))).toBe(false)

    const other = repository()
    mkdirSync(join(other.folder, 'plans'))
    writeFileSync(join(outside, 'target'), 'kept')
    symlinkSync(join(outside, 'target'), join(other.folder, 'plans', 'add-search-complete.md'))
    const linked = await connectTools(generation, other, accepting({ decision: 'approve' }))
    expect((await linked.call('request_plan_approval', aPlan)).text).toContain('could not be written')
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('kept')
  })

  test('[POINT-6] the start of the phase is stored across a restart', async () => {
    const one = repository()
    const options = { folder: one.folder, stateFolder: folder() }
    const first = await connectTools(generation, options, accepting({ decision: 'approve' }))
    await first.call('request_plan_approval', aPlan)

    const goOn = { decision: 'commit_and_continue' }
    const second = await connectTools(generation, options, accepting(goOn, goOn))
    const result = await second.call('request_phase_commit_approval', aPhase)

    expect(result).toMatchObject({ data: { status: 'commit_missing' } })
    expect(second.shown[0]?.message).toContain('There is no new commit since the phase began.')
  })

  test('[POINT-6] after a rewrite of the history the proposed commit message decides', async () => {
    const one = repository()
    const options = { folder: one.folder, stateFolder: folder() }
    const caller = await connectTools(
      generation,
      options,
      accepting({ decision: 'approve' }, { decision: 'commit_and_continue' }),
    )
    await caller.call('request_plan_approval', aPlan)
    one.git('checkout', '-q', '--orphan', 'anew')
    one.commit('feat: index')
    one.git('reflog', 'expire', '--expire=now', '--all')
    one.git('branch', '-q', '-D', 'main')
    one.git('gc', '-q', '--prune=now')

    expect(await caller.call('request_phase_commit_approval', aPhase)).toMatchObject({ data: { mayContinue: true } })
  })

  const invalid: [string, unknown][] = [
    ['an answer without a decision', { action: 'accept', content: {} }],
    ['an answer with an unknown decision', { action: 'accept', content: { decision: 'yes' } }],
    [
      'an answer with too much text',
      {
        action: 'accept',
        content: { decision: 'approve', feedback: 'x'.repeat(1_001), revisionNotes: 'x'.repeat(1_001) },
      },
    ],
  ]
  describe.each([
    ['request_plan_approval', aPlan],
    ['request_phase_commit_approval', aPhase],
    ['request_completion_review', anEnd],
  ])('%s', (tool, args) => {
    test.each(invalid)('[POINT-7] %s is an error with its code, and nothing is recorded', async (_what, answer) => {
      const one = repository()
      const received: Decision[] = []
      const onDecision = (decision: Decision) => void received.push(decision)
      const caller = await connectTools(generation, { folder: one.folder, onDecision }, () => answer)

      const result = await caller.call(tool, args)

      expect(result).toMatchObject({ isError: true, data: { status: 'validation_failed' } })
      expect(result.data).not.toHaveProperty('decision')
      expect(received).toEqual([])
      expect(existsSync(join(one.folder, 'plans'))).toBe(false)
    })

    test('[POINT-7] if no person can be asked, the result tells the agent to stop and contains the question as text', async () => {
      const caller = await connectTools(generation, repository())

      const result = await caller.call(tool, args)

      expect(result).toMatchObject({ isError: true, data: { status: 'not_supported' } })
      expect(result.text).toContain('STOP, show the user the following')
      expect(result.text).toContain('Please')
    })

    test('[POINT-8] a plan that mentions passwords is shown, and the note is asked for separately', async () => {
      const secret = 'Add a login form where users enter their password.'
      const withSecret = { ...args, planSummary: secret, phaseSummary: secret, completionSummary: secret }
      const decision = tool === 'request_phase_commit_approval' ? 'revise' : 'request_changes'
      const note = tool === 'request_phase_commit_approval' ? 'revisionNotes' : 'feedback'
      const caller = await connectTools(generation, repository(), accepting({ decision }, { [note]: 'Use passkeys.' }))

      const result = await caller.call(tool, withSecret)

      expect(result).toMatchObject({ isError: false, data: { decision, [note]: 'Use passkeys.' } })
      expect(caller.shown[0]?.requestedSchema.properties).not.toHaveProperty(note)
      expect(caller.shown[1]?.message).not.toContain('password')
    })
  })

  test('[TOOL-6] every tool has both schemas, correct annotations and a description, and the server has instructions', async () => {
    const { client } = await connectTools(generation, { folder: folder() })
    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'elicit_choice',
        'elicit_input',
        'elicit_confirm',
        'request_plan_approval',
        'request_phase_commit_approval',
        'request_completion_review',
      ]),
    )
    for (const tool of tools) {
      expect(tool.inputSchema.required, tool.name).not.toHaveLength(0)
      expect(tool.outputSchema?.required, tool.name).toEqual(expect.arrayContaining(['status', 'message']))
      expect(tool.annotations, tool.name).toMatchObject({ readOnlyHint: false, destructiveHint: false })
      expect(tool.description?.length, tool.name).toBeGreaterThan(100)
    }
    expect(client.getInstructions()).toContain('Only status "answered" is an answer')
  })
})
