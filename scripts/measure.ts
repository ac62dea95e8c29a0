// Runs one proof or one bench by name: `npm run prove -- race --quick`, `npm run bench -- store`.
//
// The last line of output is the figure; the exit code is 0 if the goal was reached. A seed makes a run repeatable.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Measurement } from './measurement.ts'

const [folder = '', ...rest] = process.argv.slice(2)
const { values, positionals } = parseArgs({
  args: rest,
  allowPositionals: true,
  // `built` is for runs that install the packed program: see build/built.ts.
  // `against` is for `bench -- relay`, which compares two checkouts.
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    built: { type: 'boolean' },
    against: { type: 'string' },
  },
})

const root = new URL(`../${folder}/`, import.meta.url)
// A folder without run.ts contains code that several of them share.
const names = readdirSync(root)
  .filter((entry) => existsSync(new URL(`${entry}/run.ts`, root)))
  .sort()

const name = positionals[0] ?? ''
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed)
if (!names.includes(name) || positionals.length > 1 || !Number.isSafeInteger(seed)) {
  console.error(
    `usage: npm run ${folder === 'proofs' ? 'prove' : 'bench'} -- <${names.join('|')}> [--quick] [--seed n] [--built] [--against program]`,
  )
  process.exit(2)
}

const { run }: { run: Measurement } = await import(new URL(`${name}/run.ts`, root).href)
const startedAt = performance.now()
console.log(`${name}: seed ${seed}, commit ${commit()}, Node ${process.versions.node}, ${availableParallelism()} cores`)
const { reached, figure } = await run({
  quick: values.quick,
  seed,
  ...(values.against === undefined ? {} : { against: values.against }),
})
console.log(
  `${name}: took ${((performance.now() - startedAt) / 1000).toFixed(1)} s${values.quick ? ' (quick form)' : ''}`,
)
console.log(figure)
process.exit(reached ? 0 : 1)

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return 'unknown (not a git checkout)'
  }
}
