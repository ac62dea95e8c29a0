// Changes one piece of the code at a time and looks whether a test fails: `npm run mutants`, `npm run mutants -- --quick`.
//
// Mutants that no test kills are listed with their reasons in test/mutants/survivors.json. The last line printed is the
// figure. It fails when fewer than 90 % of a module's mutants are killed, when a survivor is not listed, and when a listed
// one is killed. With files as arguments it mutates those alone: `npm run mutants -- packages/core/src/seal/seal.ts`.
import { spawnSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Judged, type Mutant, readReport } from './mutants/report.ts'
import { compare, readList } from './mutants/survivors.ts'

const goal = 0.9
const modules: Readonly<Record<string, readonly string[]>> = {
  'core/ask': ['packages/core/src/ask/*.ts'],
  'core/digest': ['packages/core/src/digest/*.ts'],
  'core/seal': ['packages/core/src/seal/*.ts'],
  'core/receipt': ['packages/core/src/receipt/*.ts'],
  'core/audit': ['packages/core/src/audit/*.ts'],
  'sdk/gate': ['packages/sdk/src/gate/*.ts'],
  'sdk/replay': ['packages/sdk/src/run/{replay,steps,seen,encoded-once}.ts', 'packages/sdk/src/journal/*.ts'],
}
const quickFiles = ['packages/core/src/audit/checkpoint.ts', 'packages/sdk/src/gate/used-once.ts']
const root = fileURLToPath(new URL('..', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, concurrency: { type: 'string' } },
})
const filesOf = Object.fromEntries(Object.entries(modules).map(([name, globs]) => [name, sourcesIn(globs)]))
const chosen = values.quick ? quickFiles : positionals.length > 0 ? positionals : Object.values(filesOf).flat()
const concurrency = values.concurrency ?? `${Math.max(1, availableParallelism())}`

const startedAt = performance.now()
const judged = mutate(chosen)
console.log(`mutants: took ${((performance.now() - startedAt) / 60_000).toFixed(1)} min, ${concurrency} at a time`)

const scores = Object.entries(filesOf).map(([name, files]) =>
  scoreOf(
    name,
    judged.filter(({ file }) => files.includes(file)),
  ),
)
const { unlisted, stale, unclear } = compare(
  judged,
  readList(new URL('../test/mutants/survivors.json', import.meta.url)),
)
for (const { name, killed, total } of scores) if (total > 0) console.log(`  ${name}: ${shareOf(killed, total)}`)
const excluded = judged.filter(({ fate }) => fate === 'excluded').length
if (excluded > 0) console.log(`  ${excluded} more broke the loading of the tests and count neither way`)
print('not listed in test/mutants/survivors.json', unlisted)
print('listed, but killed or gone: take them off the list', stale)
print('listed, but out of time in this run', unclear)

const whole = scoreOf('mutants', judged)
const listedCount = whole.total - whole.killed - unlisted.length
console.log(
  `mutants: ${shareOf(whole.killed, whole.total)}, ${listedCount} survivors listed, ${unlisted.length} not listed`,
)
const isReached = scores.every(({ killed, total }) => killed >= goal * total)
process.exit(isReached && whole.total > 0 && unlisted.length === 0 && stale.length === 0 ? 0 : 1)

function mutate(files: readonly string[]): readonly Judged[] {
  const report = `${root}coverage/mutants.json`
  rmSync(report, { force: true })
  const options = ['--concurrency', concurrency, '--mutate', files.join(',')]
  const { status } = spawnSync('npx', ['--no', 'stryker', 'run', 'test/mutants/stryker.json', ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`Stryker ended with code ${status}.`)
  return readReport(report)
}

function sourcesIn(globs: readonly string[]): readonly string[] {
  const isSource = (file: string) => !/\.(test|corpus|suite)\.ts$/.test(file)
  return globSync([...globs], { cwd: root })
    .filter(isSource)
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

function scoreOf(name: string, mutants: readonly Judged[]) {
  const counted = mutants.filter(({ fate }) => fate !== 'excluded')
  return { name, killed: counted.filter(({ fate }) => fate !== 'survived').length, total: counted.length }
}

function shareOf(killed: number, total: number): string {
  const percent = (Math.floor((killed / total) * 1000) / 10).toFixed(1)
  return `${killed.toLocaleString('en')} of ${total.toLocaleString('en')} killed (${percent} %)`
}

function print(title: string, mutants: readonly Mutant[]): void {
  if (mutants.length > 0) console.log(`  ${title}:`)
  for (const { file, mutator, line, from, to } of mutants)
    console.log(`    ${file} ${JSON.stringify({ mutator, line, from, to })}`)
}
