// Runs the official conformance suite: `npm run conformance [-- --quick] [--direct] [--only <scenario>]`.
//
// Our fixture server is tested with each revision, directly and through the gateway, and the verdicts must be equal. Then
// the suite acts as the server, with the gateway in front of an SDK client. The last line is the figure; the exit code
// shows whether everything passed.
import { parseArgs } from 'node:util'
import { choose, isScenario, type Score } from './choice.ts'
import { judgeClients } from './judge-clients.ts'
import { judgeServer } from './judge-server.ts'
import { REVISIONS } from './suite.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    direct: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
if (values.only !== undefined && !(await isScenario(values.only))) {
  say(`conformance: no revision requires a scenario called ${values.only}`)
  process.exit(2)
}

const choice = choose(values)
const figures: string[] = []
const scores: Score[] = []
let differing = 0
for (const revision of REVISIONS) {
  const judgement = await judgeServer(choice, revision)
  for (const line of judgement.lines) say(line)
  differing += judgement.differing
  scores.push(judgement.score)
  figures.push(`${revision} ${figure(judgement.score)}`)
}
const clients = await judgeClients(choice, say)
scores.push(clients)

const way = choice.direct ? 'directly' : `through the gateway, ${differing} verdicts differ`
say(`conformance: ${figures.join(', ')} ${way}; clients ${figure(clients)}`)
process.exit(differing === 0 && scores.every(({ reached, wanted }) => reached === wanted) ? 0 : 1)

function figure({ reached, wanted }: Score): string {
  return `${reached}/${wanted}`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
