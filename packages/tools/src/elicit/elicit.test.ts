import { afterEach, describe, expect, test } from 'vitest'
import { type Caller, connect, type Generation, generations, type Person } from '../../../../test-kit/mcp/in-memory.ts'
import { assentTools } from '../server.ts'

const open: Caller[] = []
afterEach(async () => {
  for (const caller of open.splice(0)) await caller.close()
})

async function asking(generation: Generation, person?: Person, waitMs?: number): Promise<Caller> {
  const tools = assentTools({ folder: process.cwd(), ...(waitMs === undefined ? {} : { waitMs }) })
  const caller = await connect(generation, tools, person)
  open.push(caller)
  return caller
}

const accepts = (content: object) => () => ({ action: 'accept', content })
const colours = { question: 'Which colour?', options: [{ value: 'red' }, { value: 'blue', label: 'Deep blue' }] }

describe.each(generations)('on %s', (generation) => {
  test('[TOOL-1] elicit_choice shows the labels and gives back the chosen value', async () => {
    const caller = await asking(generation, accepts({ choice: 'blue' }))

    const result = await caller.call('elicit_choice', { ...colours, suggested: 'red' })

    expect(result).toMatchObject({
      isError: false,
      text: 'The person chose "Deep blue" (blue).',
      data: { status: 'answered', choice: 'blue', label: 'Deep blue' },
    })
    expect(caller.shown[0]?.requestedSchema.properties.choice).toMatchObject({
      default: 'red',
      oneOf: [
        { const: 'red', title: 'red' },
        { const: 'blue', title: 'Deep blue' },
      ],
    })
  })

  test.each([
    [{ question: 'Your name?' }, { text: 'Ada' }, 'Ada'],
    [{ question: 'Which tempo?', kind: 'integer', min: 60, max: 180 }, { number: 92 }, 92],
    [{ question: 'How long, in seconds?', kind: 'number', suggested: 1.5 }, { number: 2.5 }, 2.5],
    [{ question: 'When?', kind: 'date' }, { date: '2026-07-28' }, '2026-07-28'],
    [{ question: 'Where to?', kind: 'email' }, { text: 'ada@example.com' }, 'ada@example.com'],
  ])('[TOOL-1] elicit_input gives back what was asked for: %o', async (args, content, value) => {
    const caller = await asking(generation, accepts(content))

    const result = await caller.call('elicit_input', args)

    expect(result).toMatchObject({ isError: false, data: { status: 'answered', value } })
    expect(result.text).toContain(String(value))
  })

  test.each([
    [{ action: 'accept', content: { confirmed: true } }, true],
    [{ action: 'accept', content: { confirmed: false } }, false],
    [{ action: 'decline' }, false],
  ])('[TOOL-1] elicit_confirm: %o is %s', async (answer, confirmed) => {
    const caller = await asking(generation, () => answer)

    const result = await caller.call('elicit_confirm', { question: 'Delete five artifacts?', destructive: true })

    expect(result).toMatchObject({ isError: false, data: { status: 'answered', confirmed } })
    expect(caller.shown[0]?.message).toContain('This cannot be undone.')
  })

  test.each([
    ['a choice declined', 'elicit_choice', colours, { action: 'decline' }, 'declined'],
    ['a choice dismissed', 'elicit_choice', colours, { action: 'cancel' }, 'cancelled'],
    [
      'a choice of something else',
      'elicit_choice',
      colours,
      { action: 'accept', content: { choice: 'green' } },
      'validation_failed',
    ],
    ['an accept without content', 'elicit_choice', colours, { action: 'accept' }, 'validation_failed'],
    [
      'an empty text',
      'elicit_input',
      { question: 'Name?' },
      { action: 'accept', content: { text: '' } },
      'validation_failed',
    ],
    [
      'a yes in other words',
      'elicit_confirm',
      { question: 'Go?' },
      { action: 'accept', content: { confirmed: 'yes' } },
      'validation_failed',
    ],
    ['a bare yes', 'elicit_confirm', { question: 'Go?' }, { action: 'accept', content: {} }, 'validation_failed'],
    ['a confirmation dismissed', 'elicit_confirm', { question: 'Go?' }, { action: 'cancel' }, 'cancelled'],
  ])('[TOOL-2] %s is an error with its own code', async (_what, tool, args, answer, status) => {
    const caller = await asking(generation, () => answer)

    const result = await caller.call(tool, args)

    expect(result).toMatchObject({ isError: true, data: { status } })
    expect(result.data).not.toHaveProperty('confirmed')
    expect(result.data).not.toHaveProperty('choice')
    expect(result.data).not.toHaveProperty('value')
  })

  test.each([
    [{ action: 'decline' }, 'A person said no. Do not ask again'],
    [{ action: 'cancel' }, 'Nothing was decided. Ask the user in the chat'],
  ])('[TOOL-2] after %o the agent reads what to do in the text and in the data', async (answer, instruction) => {
    const caller = await asking(generation, () => answer)

    const result = await caller.call('elicit_choice', colours)

    for (const read of [result.text, result.data.next]) {
      expect(read).toContain('Nothing was chosen.')
      expect(read).toContain(instruction)
    }
  })

  test('[TOOL-3] if no person can be asked, the result tells the agent to stop and contains the text to show', async () => {
    const caller = await asking(generation)

    const result = await caller.call('elicit_choice', colours)

    expect(result).toMatchObject({ isError: true, data: { status: 'not_supported' } })
    for (const read of [result.text, result.data.next]) {
      expect(read).toContain('STOP, show the user the following')
      expect(read).toContain('- blue: Deep blue')
    }
  })

  test('[TOOL-4] a password, key or token is never asked for, and the agent reads what to do instead', async () => {
    const caller = await asking(generation, accepts({ text: 'hunter2' }))

    const result = await caller.call('elicit_input', { question: 'Enter your password' })

    expect(result).toMatchObject({ isError: true, data: { status: 'refused' } })
    expect(caller.shown).toEqual([])
    expect(result.text).toContain('This tool cannot ask for secrets')
    expect(result.text).toContain('Ask the user in the chat to enter the secret themselves')
    // Calls of the SDK are for people who write servers.
    expect(JSON.stringify(result)).not.toMatch(/ask\.\w/)
  })

  const tools: [string, object, object][] = [
    ['elicit_choice', colours, { choice: 'blue' }],
    ['elicit_input', { question: 'Your name?' }, { text: 'Ada' }],
    ['elicit_confirm', { question: 'Delete it?' }, { confirmed: true }],
  ]
  test.each(tools)(
    '[TOOL-7] %s returns the comment that the person wrote with the answer',
    async (tool, args, content) => {
      const comment = 'we run it already'
      const _meta = { 'assent/answer': { comment } }
      const answers = [
        { action: 'accept', content, _meta },
        { action: 'decline', _meta },
        { action: 'cancel', _meta },
      ]
      const caller = await asking(generation, () => answers.shift())

      for (const { action } of [...answers]) {
        const result = await caller.call(tool, args as Record<string, unknown>)
        expect(result.data.comment, action).toBe(comment)
        expect(result.text.split(comment), action).toHaveLength(2)
        expect(result.data.message, action).toContain(comment)
      }
    },
  )

  test.each(tools)('[TOOL-7] %s has no comment when the person wrote none', async (tool, args, content) => {
    const caller = await asking(generation, accepts(content))

    const result = await caller.call(tool, args as Record<string, unknown>)

    expect(result.data).not.toHaveProperty('comment')
    expect(result.text).not.toContain('wrote')
  })

  test.each([
    ...tools,
    ['elicit_input', { question: 'How many?', kind: 'integer' }, { number: 3 }],
    ['elicit_input', { question: 'When?', kind: 'date' }, { date: '2026-07-28' }],
  ] as [string, object, object][])('[TOOL-8] no field of %s is labelled with its name', async (tool, args, content) => {
    const caller = await asking(generation, accepts(content))

    await caller.call(tool, args as Record<string, unknown>)

    const titles = Object.values(caller.shown[0]?.requestedSchema.properties ?? {}).map(({ title }) => title)
    expect(titles).toEqual([tool === 'elicit_choice' ? 'Your choice' : 'Your answer'])
  })

  test.each([
    ['declined', { action: 'decline' }],
    ['cancelled', { action: 'cancel' }],
    ['validation_failed', { action: 'accept', content: { choice: 'green' } }],
  ])('[TOOL-8] text for an agent has neither escapes nor cut lines: %s', async (status, answer) => {
    const caller = await asking(generation, () => answer)
    const question = `Which colour?\n\nBackground:\n${'A long line of background. '.repeat(20)}`

    const result = await caller.call('elicit_choice', { ...colours, question })

    expect(result.data.status).toBe(status)
    expect(JSON.stringify(result)).not.toMatch(/⟨|more characters/)
    expect(result.data.message).toContain('"Which colour?"')
  })

  test('[TOOL-8] a destructive confirmation states once that it cannot be undone', async () => {
    const caller = await asking(generation, accepts({ confirmed: true }))

    await caller.call('elicit_confirm', { question: 'Delete five artifacts?', details: 'a, b', destructive: true })

    expect(caller.shown[0]?.message).toBe('Delete five artifacts?\n\na, b\n\nThis cannot be undone.')
  })

  test.each([
    ['elicit_choice', { ...colours, options: [{ value: 'red' }, { value: 'red' }] }],
    ['elicit_choice', { ...colours, suggested: 'green' }],
    ['elicit_input', { question: 'How many?', kind: 'integer', minLength: 2 }],
    ['elicit_input', { question: 'Name?', min: 2 }],
    ['elicit_input', { question: 'Name?', suggested: 3 }],
    ['elicit_input', { question: 'How many?', kind: 'number', min: 5, max: 1 }],
  ])('[TOOL-5] invalid arguments are refused before a person is asked: %s %o', async (tool, args) => {
    const caller = await asking(generation, accepts({}))

    expect(await caller.call(tool, args)).toMatchObject({ isError: true, data: { status: 'refused' } })
    expect(caller.shown).toEqual([])
  })
})
