// Judges a run: every question reached the inbox, every answer reached the model, and nothing was answered without the person.

import type { Played, PlayedStep } from './play.ts'

export interface ClientVerdict {
  /** Why the run failed; empty if it passed. */
  readonly reasons: readonly string[]
  /** Answers that the person did not give. */
  readonly withoutPerson: number
}

export function judge(played: Played): ClientVerdict {
  const { scenario, steps, code, ended, answered } = played
  const skipped = scenario.steps.slice(steps.length).map(({ name }) => `${name}: the run ended before it`)
  const early = steps
    .filter(isBeforePerson)
    .map(({ step }) => `${step.name}: the model got a result before the person answered`)
  const strangers = ended.filter(
    ({ id, state }) => state.kind === 'settled' && !(answered.has(id) && state.via === 'terminal'),
  )
  const reasons = [
    ...steps.flatMap(problemsOf),
    ...skipped,
    ...early,
    ...strangers.map(({ headline }) => `“${headline}” was answered by someone else`),
    ...(code === 0 ? [] : [code === undefined ? 'the client did not end' : `the client ended with code ${code}`]),
  ]
  return { reasons, withoutPerson: early.length + strangers.length }
}

function problemsOf({ step, ask, problem, result }: PlayedStep): string[] {
  if (problem !== undefined) return [`${step.name}: the answer was not recorded: ${problem}`]
  if (ask === undefined) return [`${step.name}: the question did not reach the inbox`]
  if (ask.asker.tool !== step.call.tool) return [`${step.name}: the question in the inbox is of ${ask.asker.tool}`]
  if (result === undefined) return [`${step.name}: the model got no result`]
  const missing = step.reads.filter((text) => !result.text.includes(text))
  return missing.map((text) => `${step.name}: the model did not read “${text}” in ${result.text}`)
}

/** If the person does not answer, the step itself checks that the result is not an answer. */
function isBeforePerson({ step, answeredAt, result }: PlayedStep): boolean {
  if (result === undefined || step.answer === undefined) return false
  return answeredAt === undefined || result.at < answeredAt
}
