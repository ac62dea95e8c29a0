// Runs one proof or one bench by name: `npm run prove -- race --quick`, `npm run bench -- store`.
//
// The last line printed is the figure; the exit code says whether it was reached. A seed makes a run repeatable.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Measurement } from './measurement.ts'

const [folder = '', ...rest] = process.argv.slice(2)
const { values, positionals } = parseArgs({
  args: rest,
  allowPositionals: true,
  // `built` is for those that install the packed program: see build/built.ts.
  options: { quick: { type: 'boolean', default: false }, seed: { type: 'string' }, built: { type: 'boolean' } },
})

const root = new URL(`../${folder}/`, import.meta.url)
const names = readdirSync(root)
  .filter((file) => file.endsWith('.ts') && !file.includes('.part.'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()

const name = positionals[0] ?? ''
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed)
if (!names.includes(name) || positionals.length > 1 || !Number.isSafeInteger(seed)) {
  console.error(
    `usage: npm run ${folder === 'proofs' ? 'prove' : 'bench'} -- <${names.join('|')}> [--quick] [--seed n] [--built]`,
  )
  process.exit(2)
}

const { run }: { run: Measurement } = await import(new URL(`${name}.ts`, root).href)
const startedAt = performance.now()
console.log(`${name}: seed ${seed}, commit ${commit()}, Node ${process.versions.node}, ${availableParallelism()} cores`)
const { reached, figure } = await run({ quick: values.quick, seed })
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
