// Measures how much of the code that handles a question is run by tests: `npm run coverage`.
//
// Counted are core, the SDK's run and gate, and the gateway's call/ (test/coverage/vitest.config.ts). The run fails below 98 % of
// the lines or 95 % of the branches, if code that no test ran is not listed with a reason in test/coverage/uncovered.json, or
// if a listed line is run now. With `--again` it checks the report of the last run again, after a change of the list.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compare, readExceptions } from './coverage/listed.ts'
import { type Count, type FileCoverage, fileCoverage, type IstanbulFile, share, sum } from './coverage/report.ts'

const goals = { lines: 0.98, branches: 0.95 }
const root = fileURLToPath(new URL('..', import.meta.url))
const report = `${root}coverage/question/coverage-final.json`
const areas = ['packages/core/', 'packages/sdk/', 'packages/gateway/']

const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } })
if (!values.again) {
  rmSync(report, { force: true })
  const vitest = fileURLToPath(import.meta.resolve('vitest/package.json')).replace('package.json', 'vitest.mjs')
  const args = [vitest, 'run', '--config', 'test/coverage/vitest.config.ts', '--coverage']
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) {
    console.error('coverage: the tests failed')
    process.exit(1)
  }
}

const files: readonly FileCoverage[] = Object.values(
  JSON.parse(readFileSync(report, 'utf8')) as Readonly<Record<string, IstanbulFile>>,
).map((measured) => {
  const file = relative(root, measured.path).replaceAll('\\', '/')
  return fileCoverage(file, readFileSync(measured.path, 'utf8'), measured)
})
const lines = sum(files.map((file) => file.lines))
const branches = sum(files.map((file) => file.branches))
for (const area of areas) {
  const here = files.filter(({ file }) => file.startsWith(area))
  console.log(`  ${area} ${figures(sum(here.map((file) => file.lines)), sum(here.map((file) => file.branches)))}`)
}

const uncovered = files.flatMap((file) => file.uncovered)
const { unlisted, stale } = compare(
  uncovered,
  readExceptions(new URL('../test/coverage/uncovered.json', import.meta.url)),
)
print('run by no test and not listed in test/coverage/uncovered.json', unlisted)
print('listed, but run by a test or no longer there: remove them from the list', stale)
console.log(
  `coverage: ${figures(lines, branches)}; ${uncovered.length - unlisted.length} uncovered places listed, ` +
    `${unlisted.length} not listed`,
)
const isReached = lines.total > 0 && share(lines) >= goals.lines && share(branches) >= goals.branches
process.exit(isReached && unlisted.length === 0 && stale.length === 0 ? 0 : 1)

function figures(lines: Count, branches: Count): string {
  return `${percent(lines)} of ${lines.total.toLocaleString('en')} lines, ${percent(branches)} of ${branches.total.toLocaleString('en')} branches`
}

/** Rounded down, so that a goal that was missed is never shown as reached. */
function percent(count: Count): string {
  return `${(Math.floor(share(count) * 10_000) / 100).toFixed(2)} %`
}

function print(title: string, places: readonly { readonly file: string; readonly line: string }[]): void {
  if (places.length > 0) console.log(`  ${title}:`)
  for (const { file, line } of places) console.log(`    ${file} ${JSON.stringify(line)}`)
}
