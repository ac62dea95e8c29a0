// One ask, put to the person at this terminal with the sdk's own prompts, and settled as the web inbox settles it.
//
// Leaving it leaves it open. If somebody else is faster, the prompt goes away and says who it was.

import { randomBytes } from 'node:crypto'
import {
  type Answer,
  type Ask,
  choice,
  endingInWords,
  form,
  isAssentError,
  newId,
  type Person,
  shownOnOneLine,
} from '@assent/core'
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
  let unsent: Answer | undefined
  try {
    await terminal.ask(ask.question, {
      asker: ask.asker,
      decideByMs: ask.decideByMs,
      signal: AbortSignal.any([elsewhere.signal, answering.signal]),
      answers: view.answers,
      mayLeave: true,
      isOfOthers: true,
      standing: standingOf(ask, person, desk, now()),
      commentReaches: view.commentReaches,
      ...(view.asker.undo === 'impossible' ? { cannotBeUndone: true } : {}),
      lastWords: async (outcome) => {
        words = await whatCameOfIt(ask, outcome, answering, (answer) => {
          unsent = answer
        })
        return words
      },
    })
    if (unsent !== undefined) words = await confirmed(ask, unsent, words, answering)
  } finally {
    stop()
  }
  return words
}

const confirmForm = form({ send: choice({ no: 'Do not send it', yes: 'Send it anyway' }, { title: 'Send it?' }) })

/** Something in the answer looks like a secret: it is sent only after the person has said so again. */
async function confirmed(ask: Ask, answer: Answer, warning: string, answering: Answering): Promise<string> {
  const { terminal, signal } = answering
  let words = 'Nothing was sent. It waits in the list.'
  await terminal.ask(
    { kind: 'form', message: warning, form: confirmForm },
    {
      signal,
      mayLeave: true,
      lastWords: async (outcome) => {
        const isSent =
          outcome.kind === 'answered' && outcome.answer.action === 'accept' && outcome.answer.content?.send === 'yes'
        if (isSent) words = await settle(ask, answer, answering, { confirmed: true })
        return words
      },
    },
  )
  return words
}

async function whatCameOfIt(
  ask: Ask,
  outcome: TerminalOutcome,
  answering: Answering,
  onUnsent: (answer: Answer) => void,
): Promise<string> {
  switch (outcome.kind) {
    case 'answered':
      return settle(ask, outcome.answer, answering, { onUnsent })
    case 'left':
      return 'Left open. It waits in the list.'
    case 'undeliverable':
      return `Nothing was decided. ${outcome.reason}`
    case 'expired':
      return howItEnded(ask, 'Expired without an answer.', answering)
    case 'withdrawn':
      return howItEnded(ask, 'Left open.', answering)
  }
}

interface Settling {
  readonly confirmed?: true
  /** Called when the answer needs a confirmation first. */
  readonly onUnsent?: (answer: Answer) => void
}

async function settle(
  ask: Ask,
  answer: Answer,
  { desk, person, live }: Answering,
  { confirmed, onUnsent }: Settling,
): Promise<string> {
  const decisionId = newId('decision', Date.now(), randomBytes)
  try {
    const told = await desk.answer(person, ask, { decisionId, answer, confirmed: confirmed === true })
    await live.look(ask.id)
    if (!told.ok && told.problem.code === 'looks-secret') onUnsent?.(answer)
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
