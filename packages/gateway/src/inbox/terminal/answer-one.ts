// Asks one question in this terminal with the SDK's prompts, and settles it as the web inbox does.
//
// Leaving the prompt leaves the ask open. If somebody else answers first, the prompt closes and shows who it was.

import { randomBytes } from 'node:crypto'
import {
  type Answer,
  type Ask,
  type AskView,
  askerName,
  askLimits,
  choice,
  compact,
  endingText,
  form,
  isAssentError,
  nameAnswer,
  newId,
  type Person,
  shownOnOneLine,
  verdicts,
  whoAsks,
} from '@assent/core'
import type { Terminal, TerminalOutcome } from '@assent/sdk/terminal'
import type { AskService } from '../ask-service.ts'
import type { LiveAsks } from './live-asks.ts'
import { standingOf } from './standing.ts'
import { answeringText } from './text/answering.ts'
import { warningText } from './undo-text.ts'

const { opened, undo, confirmation, results } = answeringText
/** For questions about the answer itself. */
const bySelf = { full: answeringText.self, short: answeringText.self }

export interface AnswerContext {
  readonly service: AskService
  readonly person: Person
  readonly terminal: Terminal
  readonly live: LiveAsks
  readonly now: () => number
  /** Aborted when the program stops: the ask on the screen stays open. */
  readonly signal: AbortSignal
}

/** Returns the result in one line. */
export async function answerOne(id: string, answering: AnswerContext): Promise<string> {
  const { service, person, terminal, live, now } = answering
  const ask = await service.find(person, id)
  if (ask === undefined) return results.unknown
  const { ask: view } = service.one(ask, person)
  const ended = endingText(view, now())
  if (ended !== undefined) return ended
  if (view.answers.length === 0) return results.waitsForOthers

  const endedElsewhere = new AbortController()
  const stop = live.listen(() => {
    const shown = live.list().find((one) => one.id === id)
    if (shown !== undefined && shown.state.kind !== 'open') endedElsewhere.abort()
  })
  let words = ''
  let unsent: Answer | undefined
  let held: Answer | undefined
  const onUnsent = (answer: Answer) => {
    unsent = answer
  }
  try {
    await terminal.ask(ask.question, {
      asker: ask.asker,
      askedBy: { full: openedBy(view), short: askerName(view) },
      ...compact({ warning: warningText(view) }),
      decideByMs: ask.decideByMs,
      signal: AbortSignal.any([endedElsewhere.signal, answering.signal]),
      answers: view.answers,
      mayLeave: true,
      isRelayed: true,
      statusLines: standingOf(ask, view, person, service, now()),
      commentReaches: view.commentReaches,
      lastWords: async (outcome) => {
        if (outcome.kind === 'answered' && isHeldBack(ask, view, outcome.answer, now())) {
          held = outcome.answer
          return undo.possible
        }
        words = await outcomeText(ask, outcome, answering, onUnsent)
        return words
      },
    })
    if (held !== undefined) words = await unlessUndone(ask, held, view.undoMs ?? 0, answering, onUnsent)
    if (unsent !== undefined) words = await confirmed(ask, unsent, words, answering)
  } finally {
    stop()
  }
  return words
}

/** As on the card of the web inbox: a call that a policy stops is the person's own, not a request of the server. */
function openedBy(view: AskView): string {
  const { question, onBehalfOf, caller } = view
  if (question.kind !== 'approval' || question.policies === undefined) return whoAsks(view)
  return opened.call(onBehalfOf.isYou ? undefined : onBehalfOf.name, caller?.client)
}

/** A yes to something destructive can be undone for some seconds, unless the time to answer is nearly over. */
function isHeldBack({ question }: Ask, { undoMs, decideByMs }: AskView, answer: Answer, nowMs: number): boolean {
  const isLongEnough = decideByMs - nowMs >= askLimits.undoNeedsMs
  return undoMs !== undefined && isLongEnough && verdicts[nameAnswer(question, answer)] === 'yes'
}

const undoForm = form({ undo: choice({ undo: undo.undo, send: undo.sendNow }, { title: undo.title }) })

/** Sends the answer after the time, or at once if the person says so. */
async function unlessUndone(
  ask: Ask,
  answer: Answer,
  undoMs: number,
  answering: AnswerContext,
  onUnsent: (answer: Answer) => void,
): Promise<string> {
  const { terminal, signal } = answering
  const isOver = AbortSignal.timeout(undoMs)
  let words = results.nothingSent
  await terminal.ask(
    { kind: 'form', message: undo.sentIn(undoMs / 1_000), form: undoForm },
    {
      askedBy: bySelf,
      signal: AbortSignal.any([signal, isOver]),
      mayLeave: true,
      lastWords: async (outcome) => {
        const isSentNow =
          outcome.kind === 'answered' && outcome.answer.action === 'accept' && outcome.answer.content?.undo === 'send'
        const isTimeUp = outcome.kind === 'withdrawn' && isOver.aborted && !signal.aborted
        if (isSentNow || isTimeUp) words = await settle(ask, answer, answering, { onUnsent })
        return words
      },
    },
  )
  return words
}

const confirmForm = form({
  send: choice({ no: confirmation.no, yes: confirmation.yes }, { title: confirmation.title }),
})

/** The answer looks like a secret: it is sent only after the person confirms it. */
async function confirmed(ask: Ask, answer: Answer, warning: string, answering: AnswerContext): Promise<string> {
  const { terminal, signal } = answering
  let words = results.nothingSent
  await terminal.ask(
    { kind: 'form', message: warning, form: confirmForm },
    {
      askedBy: bySelf,
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

async function outcomeText(
  ask: Ask,
  outcome: TerminalOutcome,
  answering: AnswerContext,
  onUnsent: (answer: Answer) => void,
): Promise<string> {
  switch (outcome.kind) {
    case 'answered':
      return settle(ask, outcome.answer, answering, { onUnsent })
    case 'left':
      return results.leftOpen
    case 'undeliverable':
      return results.undeliverable(outcome.reason)
    case 'expired':
      return howItEnded(ask, results.expired, answering)
    case 'withdrawn':
      return howItEnded(ask, results.stopped, answering)
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
  { service, person, live }: AnswerContext,
  { confirmed, onUnsent }: Settling,
): Promise<string> {
  const decisionId = newId('decision', Date.now(), randomBytes)
  try {
    const answered = await service.answer(person, ask, { decisionId, answer, confirmed: confirmed === true })
    await live.look(ask.id)
    if (!answered.ok && answered.problem.code === 'looks-secret') onUnsent?.(answer)
    if (!answered.ok) return shownOnOneLine(answered.problem.message)
    const { ask: view, result } = answered.view
    if (result === 'counted') return results.counted(view.quorum)
    return shownOnOneLine(decisionText(view))
  } catch (error) {
    if (!isAssentError(error, 'store_unavailable')) throw error
    return results.storeUnavailable
  }
}

/** The question and its answer, without a time: the line stays on the screen. */
function decisionText({ headline, state }: AskView): string {
  if (state.kind === 'open') return ''
  return results.decided(headline, state.what, state.kind === 'settled' ? state.comment : undefined)
}

/** How the ask ended according to the store; `otherwise` if it has not ended there yet. */
async function howItEnded(ask: Ask, otherwise: string, { service, person, now }: AnswerContext): Promise<string> {
  const current = await service.read(person, ask.id)
  const words = current.ok ? endingText(current.view.ask, now()) : undefined
  return shownOnOneLine(words ?? otherwise)
}
