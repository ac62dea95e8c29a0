// Prints a comparison: one line per scenario, then every verdict that differs, with its reason.
//
// Pure: it returns lines and prints nothing.
import type { Check, Difference, Verdicts } from './verdicts.ts'

const REASON_CHARACTERS = 400
const TALLY_CHARACTERS = 16

/** One row per scenario, one column per run; an unscored scenario is compared like the others and marked. */
export function table(runs: readonly Verdicts[], required: readonly string[]): readonly string[] {
  const scenarios = [...new Set([...required, ...runs.flatMap((run) => [...run.keys()])])]
  const widest = Math.max(...scenarios.map((scenario) => scenario.length))
  return scenarios.map((scenario) => {
    const tallies = runs.map((run) => tally(run.get(scenario)).padEnd(TALLY_CHARACTERS))
    const note = required.includes(scenario) ? '' : 'unscored'
    return `  ${[scenario.padEnd(widest), ...tallies, note].join('  ').trimEnd()}`
  })
}

/** @param intended why the verdict differs on purpose */
export function describe(
  { scenario, check, direct, through, why }: Difference,
  way: string,
  intended?: string,
): readonly string[] {
  const kind = intended === undefined ? 'differs' : 'differs on purpose'
  const line = `  ${kind}: ${scenario} · ${check}: ${direct} directly, ${through} ${way}`
  const reason = intended ?? why
  return reason === '' ? [line] : [line, `    ${reason.slice(0, REASON_CHARACTERS)}`]
}

/** "7/8, 1 warning": notes and skipped checks are compared but not counted, as in the suite's own figures. */
function tally(checks: readonly Check[] | undefined): string {
  if (checks === undefined) return 'did not finish'
  const count = (status: string) => checks.filter((check) => check.status === status).length
  const [good, bad, warnings] = [count('SUCCESS'), count('FAILURE'), count('WARNING')]
  return `${good}/${good + bad}${warnings === 0 ? '' : `, ${warnings} warned`}`
}
