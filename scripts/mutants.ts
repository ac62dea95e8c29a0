// Mutation tests: changes one piece of the code at a time and checks that a test fails. `npm run mutants`; `--quick` is a short form.
//
// Mutants that no test kills are listed with their reasons in test/mutants/survivors.json. The last line of output is the
// figure. The run fails if too few of a module's mutants are killed (90 %; 85 % in the gateway), if a survivor is not listed,
// or if a listed one is killed. With files or modules as arguments it mutates only those: `npm run mutants -- core/seal`.
// With `--again` it checks the reports of the last run again, after a change of the list.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Module, modulesIn } from './mutants/modules.ts'
import { type Judged, type Mutant, readReport } from './mutants/report.ts'
import { compare, readList } from './mutants/survivors.ts'

const quickFiles = ['packages/core/src/audit/entry.ts', 'packages/core/src/receipt/receipt.ts']
const root = fileURLToPath(new URL('..', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    concurrency: { type: 'string' },
  },
})
const chosen = values.quick ? quickFiles : positionals
const concurrency = Number(values.concurrency ?? availableParallelism())
const modules = modulesIn(root)
  .map((module) => {
    const isWhole = chosen.length === 0 || chosen.includes(module.name)
    return isWhole ? module : { ...module, files: module.files.filter((file) => chosen.includes(file)) }
  })
  .filter(({ files }) => files.length > 0)

const startedAt = performance.now()
const outcomes = modules.map((module) => ({ name: module.name, goal: module.goal, judged: mutate(module) }))
const judged = outcomes.flatMap((outcome) => outcome.judged)
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
console.log(values.again ? 'mutants: checked again' : `mutants: took ${minutes} min, ${concurrency} at a time`)
for (const outcome of outcomes) console.log(`  ${outcome.name}: ${shareOf(outcome.judged)}`)
const excluded = judged.filter(({ fate }) => fate === 'excluded').length
if (excluded > 0) console.log(`  ${excluded} more prevented the tests from loading and are not counted`)

const { unlisted, stale, unclear } = compare(
  judged,
  readList(new URL('../test/mutants/survivors.json', import.meta.url)),
)
print('not listed in test/mutants/survivors.json', unlisted)
print('listed, but killed or no longer there: remove them from the list', stale)
print('listed, but timed out in this run', unclear)
const { killed, total } = countOf(judged)
const listed = total - killed - unlisted.length
console.log(`mutants: ${shareOf(judged)}, ${listed} survivors listed, ${unlisted.length} not listed`)
const isReached = outcomes.every((outcome) => {
  const count = countOf(outcome.judged)
  return count.killed >= outcome.goal * count.total
})
process.exit(isReached && total > 0 && unlisted.length === 0 && stale.length === 0 ? 0 : 1)

function mutate({ name, files, tests }: Module): readonly Judged[] {
  const slug = name.replace('/', '-')
  const folder = `${root}coverage/mutants/`
  const report = `${folder}${slug}.json`
  if (values.again) return readReport(report)
  mkdirSync(folder, { recursive: true })
  rmSync(report, { force: true })
  const config = `${folder}${slug}.config.json`
  const fixed = JSON.parse(readFileSync(`${root}test/mutants/stryker.json`, 'utf8'))
  // Only its own modules need the gateway, which takes long to copy.
  const ignorePatterns = [...fixed.ignorePatterns, ...(name.startsWith('gateway/') ? [] : ['packages/gateway'])]
  const jsonReporter = { fileName: report }
  const options = { mutate: files, concurrency, ignorePatterns, tempDirName: `.mutants/${slug}`, jsonReporter }
  writeFileSync(config, JSON.stringify({ ...fixed, ...options }))
  console.log(`${name}: ${files.length} files`)
  const stryker = fileURLToPath(import.meta.resolve('@stryker-mutator/core/package.json')).replace(
    'package.json',
    'bin/stryker.js',
  )
  const { status } = spawnSync(process.execPath, [stryker, 'run', config], {
    cwd: root,
    env: { ...process.env, ASSENT_MUTANTS_TESTS: tests.join(' ') },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`Stryker exited with code ${status}.`)
  return readReport(report)
}

function countOf(mutants: readonly Judged[]) {
  const counted = mutants.filter(({ fate }) => fate !== 'excluded')
  return { killed: counted.filter(({ fate }) => fate !== 'survived').length, total: counted.length }
}

function shareOf(mutants: readonly Judged[]): string {
  const { killed, total } = countOf(mutants)
  const percent = (Math.floor((killed / total) * 1000) / 10).toFixed(1)
  return `${killed.toLocaleString('en')} of ${total.toLocaleString('en')} killed (${percent} %)`
}

function print(title: string, mutants: readonly Mutant[]): void {
  if (mutants.length > 0) console.log(`  ${title}:`)
  for (const { file, mutator, line, from, to } of mutants)
    console.log(`    ${file} ${JSON.stringify({ mutator, line, from, to })}`)
}
