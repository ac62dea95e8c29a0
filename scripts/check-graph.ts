// Checks the import graph of the packages: no cycles between files or folders, the folder order of the gateway, and
// exported names that mean two things in one package.
//
// It also checks itself: every planted violation must be found. `npm run check:graph`.
import { fileCycles, folderCycles, folderOrderViolations } from '../test/boundaries/graph.ts'
import { sharedNames } from '../test/boundaries/names.ts'
import { plantedGraphs } from '../test/boundaries/planted-graphs.ts'
import { isTestFile, readSources } from '../test/workspace.ts'

const files = readSources('packages')
const order = folderOrderViolations(files)
const cycles = [...fileCycles(files), ...folderCycles(files)]
const names = sharedNames(files)
const missed = plantedGraphs.filter(({ files: planted, problems }) => problems(planted).length === 0)

for (const problem of order) console.error(`graph: ${problem}`)
for (const cycle of cycles) console.error(`graph: cycle: ${cycle.join(' ↔ ')}`)
for (const name of names) console.error(`graph: ${name}`)
for (const { name } of missed) console.error(`graph: the planted violation was not found: ${name}`)
const counted = files.filter(({ path }) => !isTestFile(path)).length
console.log(
  `graph: ${counted} files, ${cycles.length} cycles, ${order.length} imports against the folder order, ${names.length} names with two meanings, ` +
    `${plantedGraphs.length - missed.length} of ${plantedGraphs.length} planted violations found`,
)
process.exit(order.length + cycles.length + names.length + missed.length === 0 ? 0 : 1)
