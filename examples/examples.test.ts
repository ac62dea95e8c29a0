// Every example, answered by real clients of both generations over both transports, and in a terminal.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTmux } from '../packages/sdk/src/terminal/tmux.suite.ts'
import { fileOf, type Generation, generations, type Person, type Question, start } from './clients.suite.ts'
import worker from './frameworks/worker.ts'

interface Case {
  readonly example: string
  /** The servers of the guide and of the README support only one transport, so that they stay short. */
  readonly only?: 'stdio' | 'HTTP'
  /** SDK 1.x serves older clients only. */
  readonly generations?: readonly Generation[]
  readonly tool: string
  readonly args: Record<string, unknown>
  /** The content of the person's answer to each question, or `approve` for an approval. */
  readonly answers: readonly (object | 'approve')[]
  readonly text: string
}

const greeting = { tool: 'greet', args: {}, answers: [{ text: 'Ada' }], text: 'Hello, Ada!' }
const deployment = {
  tool: 'deploy',
  args: { env: 'test' },
  answers: [{ choice: 'eu' }, 'approve'] as const,
  text: 'Deployed test-eu.',
}

const cases: readonly Case[] = [
  { example: 'first-question/server', only: 'stdio', ...greeting },
  { example: 'first-question/http', only: 'HTTP', ...greeting },
  {
    example: 'readme/server',
    only: 'stdio',
    tool: 'deploy',
    args: { env: 'test' },
    answers: [{ choice: 'eu' }, { number: 3 }, 'approve'],
    text: 'Deployed app-test-42-eu-3.',
  },
  { example: 'production/server', only: 'HTTP', ...deployment },
  { example: 'frameworks/express', only: 'HTTP', ...deployment },
  { example: 'frameworks/fastify', only: 'HTTP', ...deployment },
  { example: 'frameworks/hono', only: 'HTTP', ...deployment },
  { example: 'frameworks/sdk-1', only: 'stdio', generations: ['2025-11-25'], ...deployment },
  {
    example: 'pick-variation',
    tool: 'pick_variation',
    args: { song: 'Rain' },
    answers: [{ choice: 'bright' }],
    text: 'Kept the bright variation of Rain.',
  },
  {
    example: 'pick-key',
    tool: 'pick_key',
    args: { song: 'Rain', now: 'A' },
    answers: [{ choice: 'F sharp' }],
    text: 'Moved Rain to F sharp.',
  },
  {
    example: 'set-tempo',
    tool: 'set_tempo',
    args: { song: 'Rain' },
    answers: [{ number: 96 }],
    text: 'Rain now runs at 96 beats per minute.',
  },
  {
    example: 'rate-result',
    tool: 'rate_result',
    args: { song: 'Rain' },
    answers: [{ stars: 4, remark: 'Shorter.' }],
    text: '4 of 5 stars for Rain. They said: Shorter.',
  },
  {
    example: 'name-artifact',
    tool: 'name_artifact',
    args: { kind: 'image' },
    answers: [{ text: 'Blue Hour' }, { confirmed: false }],
    text: 'Saved the image “Blue Hour” as blue-hour, for you alone.',
  },
  {
    example: 'delete-artifacts',
    tool: 'delete_artifacts',
    args: { names: ['a', 'b', 'c', 'd', 'e'] },
    answers: ['approve'],
    text: 'Deleted 5 artifacts.',
  },
  {
    example: 'deploy',
    tool: 'deploy',
    args: { env: 'staging' },
    answers: [{ choice: 'eu' }, { number: 4 }, { confirmed: true }, 'approve'],
    text: 'Deployed app-staging-42-eu-4.',
  },
]

/** Answers one question after the other. */
function answering(answers: Case['answers']): Person & { asked: Question[] } {
  const asked: Question[] = []
  const person: Person = async (question) => {
    const answer = answers[asked.length]
    asked.push(question)
    // An approval that comes faster than a person can read does not count.
    if (answer === 'approve') await new Promise((resolve) => setTimeout(resolve, 350))
    if (answer === undefined) return { action: 'cancel' }
    return { action: 'accept', content: answer === 'approve' ? approvalOf(question) : answer }
  }
  return Object.assign(person, { asked })
}

function approvalOf({ requestedSchema }: Question): object {
  return requestedSchema !== undefined && 'decision' in requestedSchema.properties ? { decision: 'approve' } : {}
}

test('[EXAMPLE-1] every example is run here', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /^[a-z-]+\.ts$/.test(file))
  const run = cases.filter(({ only }) => only === undefined).map(({ example }) => `${example}.ts`)
  expect(files.filter((file) => file !== 'start.ts').sort()).toEqual(run.sort())
})

describe.each(['stdio', 'HTTP'] as const)('over %s', (transport) => {
  const here = cases.filter(({ only = transport }) => only === transport)

  test.each(here)('[EXAMPLE-1] $example', async ({ example, tool, args, answers, text, generations: served }) => {
    const started = await start(example, transport)
    onTestFinished(() => started.stop())
    for (const generation of served ?? generations) {
      const person = answering(answers)
      const client = await started.connect(generation, person)

      expect(await client.call(tool, args), generation).toEqual({ text, isError: false })
      expect(person.asked).toHaveLength(answers.length)
      await client.close()
    }
  })

  test('[EXAMPLE-3] a deployment that is declined at the gate does not happen', async () => {
    const started = await start('deploy', transport)
    onTestFinished(() => started.stop())
    const answers = [{ choice: 'eu' }, { number: 4 }, { confirmed: true }]
    for (const generation of generations) {
      const asked: string[] = []
      const client = await started.connect(generation, ({ message }) => {
        asked.push(message)
        const content = answers[asked.length - 1]
        return content === undefined ? { action: 'decline' } : { action: 'accept', content }
      })

      const result = await client.call('deploy', { env: 'production' })
      expect(result.isError, generation).toBe(true)
      expect(result.text).toContain('declined')
      expect(asked.at(-1)).toContain('app-production-42')
      await client.close()
    }
  })
})

test('[EXAMPLE-1] the Worker asks a client of 2026-07-28', async () => {
  const person = answering(deployment.answers)
  const client = new Client(
    { name: 'example-client', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => person(params as Question) as never)
  const fetch = ((url: string | URL, init?: RequestInit) =>
    worker.fetch(new Request(url, init))) as typeof globalThis.fetch
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }))
  expect(await client.callTool({ name: 'deploy', arguments: deployment.args })).toMatchObject({
    content: [{ text: deployment.text }],
  })
  await client.close()
})

test('[EXAMPLE-2] a deployment is answered in a real terminal', { timeout: 300_000 }, async () => {
  const terminal = openTmux({ file: fileOf('deploy'), args: ['--terminal'], rows: 60 })
  onTestFinished(() => terminal.close())
  const { sees, press } = terminal

  await sees('Which region?')
  await press('Down', 'Enter')
  await sees('How many replicas?')
  await press('Up', 'Up', 'Enter')
  await sees('Tell the team when it is done?')
  await press('y', 'Enter')
  await sees('Deploy to production')
  await sees('image     app-production-42')
  await sees('This cannot be undone.')
  await sees('Your decision')
  await press('y', 'Enter')
  await sees('To the team: app-production-42-eu-4 is out.')
  await sees('Deployed app-production-42-eu-4.')
  await sees('exit code 0')
})

test.each([
  ['first-question/greet.test', 2],
  ['first-question/clean-up.test', 1],
  ['handlers/transfer.test', 2],
])('[EXAMPLE-1] the tests in %s pass as an author would run them', async (file, count) => {
  const args = ['--conditions=assent-source', '--test', fileOf(file)]
  // With this variable the inner test runner would report to an outer one instead of printing its own summary.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(stdout).toContain(`pass ${count}\n`)
})

test('[EXAMPLE-1] the client of the guide is served on both revisions', async () => {
  const started = await start('first-question/http', 'HTTP')
  onTestFinished(() => started.stop())
  const env = { ...process.env, PORT: started.url?.port }
  const args = ['--conditions=assent-source', fileOf('first-question/client')]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  for (const revision of generations) expect(stdout).toContain(`${revision} [ { type: 'text', text: 'Hello, Ada!' } ]`)
})

test('[EXAMPLE-2] the first question is answered in a real terminal', { timeout: 180_000 }, async () => {
  const terminal = openTmux({ file: fileOf('first-question/try') })
  onTestFinished(() => terminal.close())

  await terminal.sees('What is your name?')
  await terminal.press('Ada', 'Enter')
  await terminal.sees('Hello, Ada!')
  await terminal.sees('exit code 0')
})

test('[EXAMPLE-2] without a terminal an example refuses instead of waiting', async () => {
  const args = ['--conditions=assent-source', fileOf('delete-artifacts'), '--terminal']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain('No person could be asked')
})
