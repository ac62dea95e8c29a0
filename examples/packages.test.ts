// The first example of each package's README, run as its user would run it.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { readText } from '../test/workspace.ts'
import { fileOf, type Question } from './clients.suite.ts'

/** What the comments at the ends of its lines say that it prints. */
function announced(example: string): string[] {
  const lines = readText(`examples/packages/${example}.ts`).matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)
  return [...lines].map(([, output = '']) => output)
}

test.each(['core', 'store', 'policy'])(
  '[README-15] the example of @assent/%s prints what it announces',
  async (name) => {
    const args = ['--conditions=assent-source', fileOf(`packages/${name}`)]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, ASSENT_DB: ':memory:' },
    })
    expect(announced(name).length).toBeGreaterThan(1)
    expect(stdout.trimEnd().split('\n')).toEqual(announced(name))
  },
)

/** A client of 2026-07-28 whose person accepts each question, in a new repository with an instruction file. */
async function connected(example: string, content: object) {
  const base = mkdtempSync(join(tmpdir(), 'assent-example-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, 'project')
  mkdirSync(folder)
  execFileSync('git', ['init', '-q'], { cwd: folder })
  writeFileSync(join(folder, 'CLAUDE.md'), '# Rules\n\n## Tests\n\n- Run the tests before each commit.\n')
  const asked: string[] = []
  const client = new Client(
    { name: 'example-client', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push((params as Question).message)
    // An answer that comes faster than a person can read does not count.
    await new Promise((resolve) => setTimeout(resolve, 350))
    return { action: 'accept', content } as never
  })
  const env = { ...process.env, ASSENT_HOME: join(base, 'home') } as Record<string, string>
  const args = ['--conditions=assent-source', fileOf(example)]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  return { client, asked }
}

test('[README-15] the example of @assent/tools serves the tools, and a question reaches the person', async () => {
  const { client, asked } = await connected('packages/tools', { confirmed: true })

  const called = { name: 'elicit_confirm', arguments: { question: 'Run the migration?' } }
  expect(await client.callTool(called)).toMatchObject({ structuredContent: { confirmed: true } })
  expect(asked).toEqual([expect.stringContaining('Run the migration?')])
})

test('[README-15] the example of @assent/onboarding serves its tool, and a decision reaches the person', async () => {
  const { client, asked } = await connected('packages/onboarding', { approved: true })

  for (const action of ['analyze', 'propose']) {
    expect(await client.callTool({ name: 'onboarding', arguments: { action } })).not.toMatchObject({ isError: true })
  }
  await client.callTool({ name: 'onboarding', arguments: { action: 'approve' } })
  expect(asked).toHaveLength(1)
})
