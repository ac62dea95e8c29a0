// Rules for the workflows in .github/workflows that the linter does not know. Each returns one line per violation.
import { parse } from 'yaml'
import type { SourceFile } from '../workspace.ts'

type Permissions = string | Readonly<Record<string, string>>

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly 'runs-on'?: string
  readonly 'continue-on-error'?: boolean
  readonly 'timeout-minutes'?: number
  readonly uses?: string
  readonly needs?: string | readonly string[]
  readonly permissions?: Permissions
  readonly steps?: readonly Step[]
  readonly strategy?: { readonly matrix?: Readonly<Record<string, readonly unknown[]>> }
}

interface Workflow {
  readonly on: unknown
  readonly permissions?: Permissions
  readonly jobs: Readonly<Record<string, Job>>
}

/** The only jobs with more than read access to the contents, and why. */
const extraPermissions: Readonly<Record<string, Permissions>> = {
  // Reads the recorded runs of the jobs before it.
  'nightly.yml figures': { actions: 'read', contents: 'read' },
  // Trusted publishing: npm verifies the identity token of the job.
  'release.yml publish': { contents: 'read', 'id-token': 'write' },
  // Creates the release on GitHub; reads the files of the job before it.
  'release.yml github-release': { actions: 'read', contents: 'write' },
}

const readOnly: Permissions = { contents: 'read' }

export function permissionProblems({ path, text }: SourceFile): string[] {
  const { on, permissions, jobs } = workflowOf(text)
  const problems = JSON.stringify(on).includes('pull_request_target') ? [`${path} runs on pull_request_target`] : []
  if (!isSame(permissions, readOnly)) problems.push(`${path} does not limit its permissions to contents: read`)
  for (const [name, job] of Object.entries(jobs)) {
    const allowed = extraPermissions[`${path.split('/').at(-1)} ${name}`] ?? readOnly
    const given = job.permissions ?? readOnly
    if (!isSame(given, allowed) && !isSame(given, readOnly) && !isSame(given, {}))
      problems.push(`${path}: the job ${name} has permissions that test/workflows/rules.ts does not list`)
  }
  return problems
}

/** A tag can be moved to other code, a commit cannot. The comment is what dependabot updates and what people read. */
export function pinProblems({ path, text }: SourceFile): string[] {
  return text.split('\n').flatMap((line, index) => {
    const used = /\buses:\s*(\S+)/.exec(line)?.[1]
    if (used === undefined || used.startsWith('./')) return []
    const isPinned = /^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/.test(used) && /\s# v\d+\.\d+\.\d+$/.test(line)
    return isPinned ? [] : [`${path}:${index + 1} does not pin ${used} by commit, with its version as a comment`]
  })
}

/** Text of an event (a title, a branch name) that is inserted into a script is run as part of it. */
export function insertionProblems({ path, text }: SourceFile): string[] {
  return Object.entries(workflowOf(text).jobs).flatMap(([name, { steps = [] }]) =>
    steps
      .filter(({ run = '' }) => run.includes('${{'))
      .map(({ run }) => `${path}: the job ${name} inserts an expression into a script: ${run}`),
  )
}

export function scriptProblems({ path, text }: SourceFile, scripts: ReadonlySet<string>): string[] {
  const words = Object.values(workflowOf(text).jobs).flatMap((job) => [
    ...(job.steps ?? []).map(({ run = '' }) => run),
    ...(job.strategy?.matrix?.run ?? []).map((run) => `npm run ${run}`),
  ])
  const named = words.flatMap((run) => [...run.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name = '']) => name))
  return named.filter((name) => !scripts.has(name)).map((name) => `${path} runs npm run ${name}, which does not exist`)
}

/** macOS and Windows are experimental: their jobs may fail, and no other job waits for them. Every job has a time limit. */
export function jobProblems({ path, text }: SourceFile): string[] {
  const { jobs } = workflowOf(text)
  const needed = new Set(Object.values(jobs).flatMap(({ needs = [] }) => needs))
  return Object.entries(jobs).flatMap(([name, job]) => {
    const problems: string[] = []
    const runners = [job['runs-on'], ...(job.strategy?.matrix?.os ?? [])]
    if (runners.some((runner) => /^(macos|windows)/.test(String(runner)))) {
      if (job['continue-on-error'] !== true) problems.push(`${path}: the job ${name} is not marked as experimental`)
      if (needed.has(name)) problems.push(`${path}: a job waits for the experimental job ${name}`)
    }
    if (job.uses === undefined && job['timeout-minutes'] === undefined)
      problems.push(`${path}: the job ${name} has no time limit`)
    return problems
  })
}

/** The measurements that a workflow runs, such as `prove race`, sorted. */
export function measurementsOf({ text }: SourceFile): string[] {
  return Object.values(workflowOf(text).jobs)
    .flatMap(({ strategy }) => [...(strategy?.matrix?.run ?? []), ...(strategy?.matrix?.include ?? [])])
    .map((entry) => {
      if (typeof entry === 'string') return entry.replace(' --', '')
      const { kind, name } = entry as { kind: string; name: string }
      return `${kind} ${name}`
    })
    .filter((entry) => /^(prove|bench) /.test(entry))
    .sort()
}

function workflowOf(text: string): Workflow {
  return parse(text)
}

function isSame(one: Permissions | undefined, other: Permissions): boolean {
  return one !== undefined && JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(permissions: Permissions): unknown {
  return typeof permissions === 'string' ? permissions : Object.entries(permissions).sort()
}
