// Runs one proof or one bench by name: `npm run prove -- race --quick`, `npm run bench -- store`.
//
// The last line of output is the figure; the exit code is 0 if the goal was reached. A seed makes a run repeatable.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { recordedCommit } from './figures/recorded-commit.ts'
import { machineText, recordRun } from './figures/runs.ts'
import type { Measurement } from './measurement.ts'

const [folder = '', ...rest] = process.argv.slice(2)
const { values, positionals } = parseArgs({
  args: rest,
  allowPositionals: true,
  // `built` is for runs that install the packed program: see build/built.ts.
  // `against` is for `bench -- relay` and `cluster`, which then compare two checkouts. `record` keeps a full run for docs/background/figures.md.
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    built: { type: 'boolean' },
    against: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})

const root = new URL(`../${folder}/`, import.meta.url)
// A folder without run.ts contains code that several of them share.
const names = readdirSync(root)
  .filter((entry) => existsSync(new URL(`${entry}/run.ts`, root)))
  .sort()

const name = positionals[0] ?? ''
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed)
const isUsable = positionals.length === 1 && Number.isSafeInteger(seed) && !(values.record && values.quick)
if (!names.includes(name) || !isUsable) {
  console.error(
    `usage: npm run ${folder === 'proofs' ? 'prove' : 'bench'} -- <${names.join('|')}> [--quick] [--seed n] [--built] [--against program] [--record]`,
  )
  process.exit(2)
}

// Before the run, which takes minutes and may write pages.
const recorded = values.record ? recordedCommit(process.cwd()) : undefined
if (recorded?.ok === false) {
  console.error(`${name}: ${recorded.problem}`)
  process.exit(2)
}

const { run }: { run: Measurement } = await import(new URL(`${name}/run.ts`, root).href)
const startedAt = performance.now()
console.log(`${name}: seed ${seed}, commit ${commit()}, Node ${process.versions.node}, ${availableParallelism()} cores`)
const { reached, figure, goals } = await run({
  quick: values.quick,
  seed,
  ...(values.against === undefined ? {} : { against: values.against }),
})
const seconds = (performance.now() - startedAt) / 1000
if (recorded?.ok === true)
  recordRun({
    kind: folder === 'proofs' ? 'prove' : 'bench',
    name,
    date: new Date().toISOString().slice(0, 10),
    commit: recorded.commit,
    machine: machineText(),
    seconds: Math.round(seconds),
    reached,
    figure,
    ...(goals === undefined ? {} : { goals }),
  })
console.log(`${name}: took ${seconds.toFixed(1)} s${values.quick ? ' (quick form)' : ''}`)
console.log(figure)
process.exit(reached ? 0 : 1)

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return 'unknown (not a git checkout)'
  }
}
