// Checks the licences of everything that users of the packages install or receive: `npm run check:licences`.
import { readFileSync } from 'node:fs'
import { licenceProblems, licencesIn } from './release/licences.ts'

const lock = readFileSync('package-lock.json', 'utf8')
const problems = licenceProblems(lock)
for (const problem of problems) console.error(`licences: ${problem}`)
console.log(`licences: ${licencesIn(lock).length} packages, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
