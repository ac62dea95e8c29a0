// One ask, put to the person at this terminal with the sdk's own prompts, and settled as the web inbox settles it.
//
// Leaving it leaves it open. If somebody else is faster, the prompt goes away and says who it was.

import { randomBytes } from 'node:crypto'
import { type Answer, type Ask, endingInWords, isAssentError, newId, type Person, shownOnOneLine } from '@assent/core'
import type { Terminal, TerminalOutcome } from '@assent/sdk/terminal'
import type { AskDesk } from '../inbox/ask-desk.ts'
import type { LiveAsks } from './live-asks.ts'
import { standingOf } from './standing.ts'

export interface Answering {
  readonly desk: AskDesk
  readonly person: Person
  readonly terminal: Terminal
  readonly live: LiveAsks
  readonly now: () => number
  /** Aborted when the program is told to stop: what is on the screen is left open. */
  readonly signal: AbortSignal
}

/** Says what came of it, in one line. */
export async function answerOne(id: string, answering: Answering): Promise<string> {
  const { desk, person, terminal, live, now } = answering
  const ask = await desk.find(person, id)
  if (ask === undefined) return 'It is gone.'
  const { ask: view } = desk.one(ask, person)
  const ended = endingInWords(view, now())
  if (ended !== undefined) return ended
  if (view.answers.length === 0) return 'You have answered this. It waits for the others.'

  const elsewhere = new AbortController()
  const stop = live.listen(() => {
    const shown = live.list().find((one) => one.id === id)
    if (shown !== undefined && shown.state.kind !== 'open') elsewhere.abort()
  })
  let words = ''
  try {
    await terminal.ask(ask.question, {
      asker: ask.asker,
      decideByMs: ask.decideByMs,
      signal: AbortSignal.any([elsewhere.signal, answering.signal]),
      answers: view.answers,
      mayLeave: true,
      isOfOthers: true,
      standing: standingOf(ask, person, desk, now()),
      ...(view.asker.undo === 'impossible' ? { cannotBeUndone: true } : {}),
      lastWords: async (outcome) => {
        words = await whatCameOfIt(ask, outcome, answering)
        return words
      },
    })
  } finally {
    stop()
  }
  return words
}

async function whatCameOfIt(ask: Ask, outcome: TerminalOutcome, answering: Answering): Promise<string> {
  switch (outcome.kind) {
    case 'answered':
      return settle(ask, outcome.answer, answering)
    case 'left':
      return 'Left open. It waits in the list.'
    case 'undeliverable':
      return `Nothing was decided. ${outcome.reason}`
    case 'expired':
      return howItEnded(ask, 'The time ran out, and the agent is told that nobody answered.', answering)
    case 'withdrawn':
      return howItEnded(ask, 'Left open.', answering)
  }
}

async function settle(ask: Ask, answer: Answer, { desk, person, live }: Answering): Promise<string> {
  const decisionId = newId('decision', Date.now(), randomBytes)
  try {
    const told = await desk.answer(person, ask, { decisionId, answer })
    await live.look(ask.id)
    if (!told.ok) return shownOnOneLine(told.problem.message)
    const { ask: view, nowMs, result } = told.view
    if (result === 'counted') return `Your vote counts. ${votesSoFar(view.quorum)}`
    return shownOnOneLine(endingInWords(view, nowMs) ?? '')
  } catch (error) {
    if (!isAssentError(error, 'store_unavailable')) throw error
    return 'The store cannot be reached just now. Whether your answer was kept shows when it is back; nothing else was decided.'
  }
}

/** What the record says; the words given, where it does not say anything yet. */
async function howItEnded(ask: Ask, otherwise: string, { desk, person, now }: Answering): Promise<string> {
  const told = await desk.read(person, ask.id)
  const words = told.ok ? endingInWords(told.view.ask, now()) : undefined
  return shownOnOneLine(words ?? otherwise)
}

function votesSoFar(quorum: { readonly approvals: number; readonly approvalsNeeded: number } | undefined): string {
  return quorum === undefined ? '' : `${quorum.approvals} of ${quorum.approvalsNeeded} approvals so far.`
}
