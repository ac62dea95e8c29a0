// Generates the page of all recorded figures, and its plot.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { goalsPlot, type PlottedGoal, valueText } from '../figures/plot.ts'
import { type RecordedRun, recordedRuns } from '../figures/runs.ts'
import { isMet } from '../measurement.ts'
import type { GeneratedPage } from './clients.ts'
import { table } from './table.ts'
import { figuresText as text } from './text/figures.ts'

const folders = { prove: 'proofs', bench: 'benches' } as const
type Kind = RecordedRun['kind']
const earlierShown = 10

export function figuresPages(): GeneratedPage[] {
  return pagesFrom(recordedRuns())
}

/** @param runs in the order in which they were recorded; the last one of each name is shown */
export function pagesFrom(runs: readonly RecordedRun[]): GeneratedPage[] {
  const runsOf = (kind: Kind, name: string) => runs.filter((run) => run.kind === kind && run.name === name)
  const sectionsOf = (kind: Kind) => {
    const isRecorded = (name: string) => runsOf(kind, name).length > 0
    const names = namesOf(kind)
    return [
      ...names.filter(isRecorded).flatMap((name) => sectionOf(kind, name, runsOf(kind, name))),
      ...notRecorded(
        kind,
        names.filter((name) => !isRecorded(name)),
      ),
    ]
  }
  const goals: PlottedGoal[] = namesOf('bench').flatMap((name) =>
    (runs.findLast((run) => run.kind === 'bench' && run.name === name)?.goals ?? []).map((goal) => ({
      ...goal,
      bench: name,
    })),
  )
  const parts = [text.intro, text.benches, text.plot, ...sectionsOf('bench'), text.proofs, ...sectionsOf('prove')]
  return [
    { path: 'docs/background/figures.md', text: `${parts.join('\n\n')}\n` },
    { path: 'docs/figures/goals.svg', text: goalsPlot(goals) },
  ]
}

function sectionOf(kind: Kind, name: string, all: readonly RecordedRun[]): string[] {
  const run = all.at(-1)
  if (run === undefined) return []
  const purpose = `${purposeOf(kind, name)} ${text.runIt(commandOf(kind, name))}`
  return [`### ${kind} ${name}`, purpose, resultOf(run), whenOf(run), ...trendOf(all)]
}

/** One table, so that the results are not lost between commands that have none. */
function notRecorded(kind: Kind, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rows = names.map((name) => [`\`${commandOf(kind, name)}\``, purposeOf(kind, name)])
  return [text.notRecorded[kind], table([[...text.columns], ...rows])]
}

function commandOf(kind: Kind, name: string): string {
  return `npm run ${kind} -- ${name}`
}

export function namesOf(kind: Kind): string[] {
  return readdirSync(folders[kind])
    .filter((name) => existsSync(`${folders[kind]}/${name}/run.ts`))
    .sort()
}

/** The first sentence of its source file. */
export function purposeOf(kind: Kind, name: string): string {
  const [header = ''] = readFileSync(`${folders[kind]}/${name}/run.ts`, 'utf8').split(/\n(?!\/\/ )/)
  const [sentence = ''] = header
    .replaceAll(/\n?\/\/ /g, ' ')
    .trim()
    .split(/(?<=[.:]) (?=[A-Z])/)
    .filter((part) => part !== 'Proof:')
  const purpose = sentence.replace(/^Proof: /, '')
  return shown(purpose.charAt(0).toUpperCase() + purpose.slice(1))
}

function resultOf({ reached, figure, name, goals = [] }: RecordedRun): string {
  const missed = goals.filter((goal) => !isMet(goal)).map((goal) => `${goal.what}: ${valueText(goal)}`)
  const verdict = reached ? text.reached : `${text.missed} ${missed.join('; ')}${missed.length > 0 ? '. All:' : ''}`
  return shown(`${verdict} ${figure.replace(`${name}: `, '')}`)
}

/** The numbers of the runs before the last one, the newest first. */
function trendOf(runs: readonly RecordedRun[]): string[] {
  const earlier = runs.slice(-1 - earlierShown, -1).reverse()
  if (earlier.length === 0) return []
  return [
    text.earlier,
    earlier
      .map(({ date, commit, reached, goals = [] }) => {
        const numbers = goals.map((goal) => valueText(goal)).join(', ')
        return `- ${date}, ${text.commit(commit)}: ${reached ? text.reached : text.missed} ${numbers}`.trimEnd()
      })
      .join('\n'),
  ]
}

function whenOf({ date, commit, machine, seconds }: RecordedRun): string {
  return `_${date}, ${text.commit(commit)}, ${text.took(seconds)}, ${machine}._`
}

function shown(words: string): string {
  return words.replaceAll('<', '&lt;')
}
