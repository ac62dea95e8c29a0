// Handlers of an MCP server, run from a script: their questions are asked in a terminal.
import { PassThrough } from 'node:stream'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from '../assent.ts'
import { yielding } from '../generator/yielding.ts'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { runInTerminal } from './surface.ts'

const { interactive } = createAssent({ name: 'acme' })
const asker = { server: 'acme', tool: 'deploy' }

const deploy = interactive<[{ env: string }]>(
  async ({ env }, { ask, step }) => {
    const region = await ask.choose(
      'Which region?',
      { eu: 'Europe', us: 'United States' },
      { reason: 'Data stays there.' },
    )
    await ask.approve('Deploy', { env, region }, { risk: 'destructive', claim: 'It is safe.' })
    const id = await step('deploy', () => `${env}-${region}`)
    return `Deployed ${id}`
  },
  { name: 'deploy' },
)

test('[TERM-13] a handler runs from a script, with its questions in the terminal', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const result = runInTerminal(deploy, { env: 'production' }, { terminal, asker })

  await sees('acme · deploy has a question')
  await sees('Data stays there.')
  await press(key.down, key.enter)
  await sees('asks for your approval')
  await sees('env     production')
  await sees('region  eu')
  await sees('calls deploy on acme')
  await sees('This cannot be undone.')
  await sees('Dismiss')
  await press('y', key.enter)

  expect(await result).toEqual({ content: [{ type: 'text', text: 'Deployed production-eu' }] })
})

test('[TERM-13] a person’s no ends in the same refusal as over MCP', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const result = runInTerminal(deploy, { env: 'production' }, { terminal })

  await sees('Europe')
  await press(key.down, key.enter)
  await sees('Dismiss')
  await press('n', key.enter)
  await sees('Why?')
  await press('wrong region', key.enter)

  expect(await result).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'declined' } } })
  expect(JSON.stringify(await result)).toContain('wrong region')
})

test('[TERM-8] [TERM-13] without a terminal the handler gets not_supported', async () => {
  const { terminal } = fakeTerminal({ input: new PassThrough() })
  const result = await runInTerminal(deploy, { env: 'production' }, { terminal })
  expect(result).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'not_supported' } } })
})

test('[TERM-7] [TERM-13] a person who takes too long has not answered: timed_out', async () => {
  const { terminal, sees } = fakeTerminal()
  const slow = interactive(async ({ ask }) => ask.text('Quick?', { waitMs: 1_000 }))
  const result = runInTerminal(slow, undefined, { terminal })

  await sees('Quick?')
  await sees('Timed out')

  expect(await result).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'timed_out' } } })
})

test('[TERM-13] an answer that the author’s own schema refuses is asked again', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const even = z.object({ count: z.number().refine((count) => count % 2 === 0, 'Enter an even number.') })
  const tool = interactive(async ({ ask }) => `${(await ask.form('How many?', even)).count}`)
  const result = runInTerminal(tool, undefined, { terminal })

  await sees('How many?')
  await press('3', key.enter)
  await sees('Your last answer was not accepted: count: Enter an even number.')
  await press('4', key.enter)

  expect(await result).toEqual({ content: [{ type: 'text', text: '4' }] })
})

test('[ANSWER-1] [TERM-13] an error in the author’s own check is not asked again, and is not a lost connection', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const { interactive } = createAssent({ log: false })
  const validate = () => Promise.reject(new TypeError('broken'))
  const tool = interactive<[object]>(async (_, { ask }) => ask.text('Name?', { validate }), { name: 'tool' })
  const refused = expect(runInTerminal(tool, {}, { terminal })).rejects.toMatchObject({ code: 'misconfigured' })
  await sees('Name?')
  await press('Ada', key.enter)
  await refused
})

test('[ANSWER-1] [TERM-13] `validate` runs once for each answer, and the third refused one is an error', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const validate = vi.fn((name: string) => `${name} is taken.`)
  const tool = interactive(async ({ ask }) => ask.text('Name?', { validate }))
  const result = runInTerminal(tool, undefined, { terminal })

  await sees('Name?')
  await press('ada', key.enter)
  await sees('Your last answer was not accepted: ada is taken.')
  await press('bob', key.enter)
  await sees('Your last answer was not accepted: bob is taken.')
  await press('eve', key.enter)

  expect(await result).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'validation_failed' } } })
  expect(validate.mock.calls).toEqual([['ada'], ['bob'], ['eve']])
})

test('[TERM-12] [TERM-13] a secret is typed unseen, and a generator may ask for it', async () => {
  const { terminal, press, sees, drawnRaw } = fakeTerminal()
  const tool = interactive(
    yielding(function* ({ ask }) {
      const token = yield* ask.secret('The token of the registry')
      return `${token.length} characters`
    }),
  )
  const result = runInTerminal(tool, undefined, { terminal })

  await sees('The token of the registry')
  await press('hunter2', key.enter)

  expect(await result).toEqual({ content: [{ type: 'text', text: '7 characters' }] })
  expect(drawnRaw()).not.toContain('hunter2')
})

test('[TERM-9] [TERM-13] concurrent questions are shown one after the other', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const tool = interactive(async ({ ask }) => {
    const { a, b } = await ask.all({ a: ask.text('First?'), b: ask.text('Second?') })
    return `${a} ${b}`
  })
  const result = runInTerminal(tool, undefined, { terminal })

  await sees('First?')
  await press('1', key.enter)
  await sees('Second?')
  await press('2', key.enter)

  expect(await result).toEqual({ content: [{ type: 'text', text: '1 2' }] })
})

test('[TERM-13] a registered tool runs from a script, and its schema parses the arguments', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const inputSchema = z.object({ env: z.string().default('test') })
  const server = new McpServer({ name: 'acme', version: '1.0.0' })
  const tool = createAssent({ name: 'acme' }).tool(server, 'deploy', { inputSchema }, async ({ env }, { ask }) => {
    return `${env} ${await ask.text('Name?')}`
  })
  const result = runInTerminal(tool, {}, { terminal })

  await sees('Name?')
  await press('Ada', key.enter)

  expect(await result).toEqual({ content: [{ type: 'text', text: 'test Ada' }] })
  await expect(runInTerminal(tool, { env: 7 }, { terminal })).rejects.toThrow('do not fit the input schema')
})
