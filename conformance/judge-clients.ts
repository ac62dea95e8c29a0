// Runs the suite on an SDK client behind the gateway: the suite then sees the gateway.
//
// The suite decides whether a client passed: a warning, or a client that fails, is a failure.
import { type Choice, clientScenarios, type Score } from './choice.ts'
import { REVISIONS, runClientScenario, type SuiteRun } from './suite.ts'

const COMPLAINT_LINES = 12

export async function judgeClients(choice: Choice, say: (line: string) => void): Promise<Score> {
  let [reached, wanted] = [0, 0]
  for (const revision of REVISIONS) {
    const scenarios = (await clientScenarios(revision)).filter((name) => choice.includes(name))
    if (scenarios.length > 0)
      say(`\n${revision}, client scenarios: ${choice.direct ? 'directly' : 'through the gateway'}`)
    for (const scenario of scenarios) {
      const run = await runClientScenario(revision, scenario, choice.direct)
      const isPassed = run.exitCode === 0
      wanted += 1
      reached += isPassed ? 1 : 0
      say(`  ${scenario.padEnd(38)}${isPassed ? 'passed' : 'FAILED'}`)
      for (const line of isPassed ? [] : complaints(run)) say(`    ${line}`)
    }
  }
  return { reached, wanted }
}

function complaints({ verdicts, output }: SuiteRun): readonly string[] {
  const bad = [...verdicts.values()].flat().filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  if (bad.length === 0) return output.trim().split('\n').slice(-COMPLAINT_LINES)
  return bad.map(({ status, id, name, errorMessage = '' }) => `${status} ${id} ${name}: ${errorMessage}`)
}
