// The results in the terminal: a row per client and run, and the facts about each client below it.

import type { ClientFacts } from './facts.ts'
import type { ClientVerdict } from './judge.ts'
import type { Played } from './play.ts'

export interface Row {
  readonly played: Played
  readonly verdict: ClientVerdict
  readonly facts: ClientFacts | undefined
}

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ played, verdict }) => [
    `${played.client.title} ${played.client.version}`,
    played.scenario.name,
    played.steps
      .map(
        (one) => `${one.step.name}${verdict.reasons.some((why) => why.startsWith(`${one.step.name}:`)) ? ' ✗' : ' ✓'}`,
      )
      .join(', '),
    verdict.reasons.length === 0 ? 'ok' : 'FAILED',
  ])
  const all = [['client', 'run', 'questions', ''], ...cells]
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line per fact; the client is described by the first of its runs that has facts. */
export function factLines({ played, facts }: Row): string[] {
  const { client, turns, missing } = played
  if (facts === undefined) return [`${client.title}: never connected to the server`]
  const { name, version, revision, tried, capabilities, wantsProgress, ownAnswers, longestCallMs, variables } = facts
  const answers = ownAnswers.map(({ action, count, slowestMs }) => `${action} (${count}, within ${slowestMs} ms)`)
  return [
    `${client.title}: declares itself as ${name} ${version}`,
    `  revision ${revision}${tried === undefined ? '' : `, after trying ${tried}`}`,
    `  capabilities ${JSON.stringify(capabilities)}`,
    `  a question to the client, without a terminal: ${answers.length === 0 ? 'not asked' : answers.join(', ')}`,
    `  progress token with calls: ${wantsProgress ? 'yes' : 'no'}`,
    `  longest call of this run: ${Math.floor(longestCallMs / 1_000)} s`,
    `  requests to the model without our tools: ${missing} of ${turns}`,
    `  variables that reach the server beside HOME and PATH: ${variables}`,
  ]
}
