// The verdicts of the official suite, and whether two runs have equal verdicts.
//
// Pure: no process is started and no file is read here. A check is identified by its id and name, because the suite reports
// one requirement under one id for many cases; two runs agree if every such check has the same results equally often.

export interface Check {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly errorMessage?: string
}

export type Verdicts = ReadonlyMap<string, readonly Check[]>

export interface Difference {
  readonly scenario: string
  readonly check: string
  readonly direct: string
  readonly through: string
  readonly why: string
}

/** A scenario without checks did not pass: the suite writes none if it could not run. */
export function passed(checks: readonly Check[] | undefined): boolean {
  return checks !== undefined && checks.length > 0 && checks.every(({ status }) => status !== 'FAILURE')
}

export function differences(direct: Verdicts, through: Verdicts): readonly Difference[] {
  const scenarios = new Set([...direct.keys(), ...through.keys()])
  return [...scenarios].flatMap((scenario) =>
    differencesOf(scenario, direct.get(scenario) ?? [], through.get(scenario) ?? []),
  )
}

function differencesOf(scenario: string, direct: readonly Check[], through: readonly Check[]): readonly Difference[] {
  const [before, after] = [endings(direct), endings(through)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((check) => ({ check, direct: before.get(check) ?? 'absent', through: after.get(check) ?? 'absent' }))
    .filter((pair) => pair.direct !== pair.through)
    .map((pair) => ({ scenario, ...pair, why: reason(through, pair.check) ?? reason(direct, pair.check) ?? '' }))
}

/** The results of each check, sorted: the order of the report is not part of a verdict. */
function endings(checks: readonly Check[]): ReadonlyMap<string, string> {
  const byCheck = Map.groupBy(checks, keyOf)
  return new Map(
    [...byCheck].map(([key, group]) => [
      key,
      group
        .map(({ status }) => status)
        .sort()
        .join(' '),
    ]),
  )
}

function reason(checks: readonly Check[], key: string): string | undefined {
  return checks.find((check) => keyOf(check) === key && check.errorMessage !== undefined)?.errorMessage
}

function keyOf({ id, name }: Check): string {
  return `${id} ${name}`
}
