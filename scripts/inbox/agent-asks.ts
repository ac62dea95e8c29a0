// Questions of the built-in tools for pictures: a client starts `assent` in a project, as a coding agent does, and calls its
// tools. A person gets the same cards with the same calls.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { freePort } from '../../test-kit/listen.ts'

const program = [
  '--conditions=assent-source',
  fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url)),
]

const plan = `Add full-text search

Search notes with **SQLite FTS5**, without a new dependency.

1. Migration: the table \`notes_fts\` and its triggers
2. API: \`GET /search?q=\`
3. Page: a search box that highlights matches

| Phase | Risk |
| --- | --- |
| 1 | size of the index |
| 2 | none |
| 3 | none |

\`\`\`sql
CREATE VIRTUAL TABLE notes_fts USING fts5(title, body);
\`\`\``

/** The calls that ask, by the name of the picture. */
const calls: Readonly<Record<string, readonly [tool: string, args: object]>> = {
  'yes-no': [
    'elicit_confirm',
    {
      question: 'Delete the five artifacts in build/?',
      details: 'The new build replaces them. Nothing else uses `build/`.',
      destructive: true,
    },
  ],
  choice: [
    'elicit_choice',
    {
      question: 'Which database should the service use?\n\nBoth are installed.',
      options: [
        { value: 'postgres', label: 'PostgreSQL, as in production' },
        { value: 'sqlite', label: 'SQLite, one file' },
        { value: 'memory', label: 'Keep it in memory' },
      ],
      suggested: 'postgres',
    },
  ],
  plan: [
    'request_plan_approval',
    { planSummary: plan, phaseCount: 3, openQuestions: ['Index archived notes too?', 'Rank by date or relevance?'] },
  ],
  phase: [
    'request_phase_commit_approval',
    {
      phaseNumber: 1,
      phaseSummary: 'Added the table `notes_fts` and its triggers. All 14 tests pass.',
      filesModified: ['src/search.ts', 'test/search.test.ts'],
      commitMessage: 'feat(search): index notes with FTS5',
    },
  ],
  completion: [
    'request_completion_review',
    {
      completionSummary: 'Notes can be searched by title and text. 31 tests pass; the index takes 4 % of the database.',
      phasesCompleted: 3,
      filesModified: ['src/search.ts', 'src/api.ts', 'web/search-box.tsx'],
    },
  ],
}

export interface AgentAsks {
  readonly names: readonly string[]
  /** A link that signs in; it works once. */
  link(): string
  /** The start of the headline of each question, by the name of the picture. */
  headline(name: string): string
  close(): Promise<void>
}

/** In a second project, because it writes to the repository. */
const onboarding = 'onboarding'

const headlines: Readonly<Record<string, string>> = {
  [onboarding]: "Approve this plan for the repository's",
  'yes-no': 'Delete the five artifacts',
  choice: 'Which database',
  plan: 'Approve this plan of',
  phase: 'Phase 1',
  completion: 'Is this plan complete?',
}

export async function agentAsks(): Promise<AgentAsks> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-agent-'))
  const project = join(folder, 'notes-service')
  const other = join(folder, 'billing')
  const files = { 'package.json': '{ "name": "notes-service" }\n' }
  writeProject(project, 'feat/search', files)
  mkdirSync(join(project, 'src'))
  writeFileSync(join(project, 'src', 'search.ts'), 'export {}\n')
  writeProject(other, 'main', { 'CLAUDE.md': manyRules('Service', 55), '.cursorrules': manyRules('Page', 35) })
  const variables = { ASSENT_HOME: join(folder, 'home'), ASSENT_LISTEN: `127.0.0.1:${await freePort()}` }
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...variables }
  const connected = async (name: string, cwd: string) => {
    const client = new Client({ name, version: '2.0.0' }, { capabilities: {} })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: program, env, cwd }))
    return client
  }
  const client = await connected('claude-code', project)
  for (const [name, args] of Object.values(calls)) {
    // Never answered: the pictures show the open questions.
    void client.callTool({ name, arguments: { ...args } }, undefined, { timeout: 600_000 }).catch(() => undefined)
  }
  const second = await connected('codex-mcp-client', other)
  for (const action of ['analyze', 'propose']) await second.callTool({ name: onboarding, arguments: { action } })
  void second
    .callTool({ name: onboarding, arguments: { action: 'approve' } }, undefined, { timeout: 600_000 })
    .catch(() => undefined)
  const link = () => {
    const text = execFileSync(process.execPath, [...program, 'inbox', 'link'], { cwd: project, env, encoding: 'utf8' })
    return /http:\S+/.exec(text)?.[0] ?? ''
  }
  return {
    names: [...Object.keys(calls), onboarding],
    link,
    headline: (name) => headlines[name] ?? '',
    close: async () => {
      await second.close()
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeProject(project: string, branch: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(project)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], {
      cwd: project,
      stdio: 'ignore',
    })
  git('init', '-b', branch)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  git('add', '-A')
  git('commit', '-m', 'chore: begin')
}

/** Instructions whose move to another file is a long diff. */
function manyRules(subject: string, count: number): string {
  const rules = Array.from({ length: count }, (_, at) => `- ${subject} ${at + 1}: test it first.`)
  return `# ${subject}s\n\n${rules.join('\n')}\n`
}
