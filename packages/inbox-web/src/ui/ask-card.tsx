// One ask as a card: the outcome once there is one, what will happen, who asks, what they claim, the possible answers.
//
// The card knows neither router nor queries. It holds the form's values and passes an answer to `onAnswer`, which returns
// the problem if the answer was refused.

import type { AskView, ButtonView, SecretView } from '@assent/core'
import { useEffect, useRef, useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import type { Refusal } from '../api/decide.ts'
import { serverNow } from '../api/server-time.ts'
import { cardText } from '../text/card.ts'
import { menuOf, needsReading } from './answer-bar.tsx'
import { AnswerForm } from './answer-form.tsx'
import { useCardSeen } from './card-seen.ts'
import { Deadline } from './deadline.tsx'
import { Details, Quorum } from './facts.tsx'
import { type HeldAnswer, holdAnswer, undoAnswer, useHeldAnswer } from './held-answers.ts'
import { HeldBar, undoKey } from './held-bar.tsx'
import { inertMs } from './inert.ts'
import { LateNote } from './late-note.tsx'
import { Parts } from './parts.tsx'
import { CallContext, isAboutCall, Provenance, QuestionDetails } from './question-view.tsx'
import { useReturnFocus } from './return-focus.ts'
import { SecretForm } from './secret-form.tsx'
import { Settled } from './settled.tsx'
import { useShortcuts } from './shortcuts.ts'
import { HiddenProvider, useHidden } from './shown-text.tsx'
import { CheckedFacts, Claim } from './statements.tsx'
import { useDraft } from './use-draft.ts'
import { type SendAnswer, useSending } from './use-sending.ts'

/** As `askLimits.undoNeedsMs` in core, of which the page loads only types. */
const undoNeedsMs = 15_000

interface Props {
  readonly ask: AskView
  /** Sends the answer. `confirmed`: although something in it looks like a secret. */
  readonly onAnswer: SendAnswer
  /** Like `onAnswer`, for a secret. */
  readonly onHandOver?: (ask: AskView, secret: string, view: SecretView) => Promise<Refusal>
  /** The deadline has passed. */
  readonly onPassed: () => void
}

export function AskCard({ ask, onAnswer, onHandOver, onPassed }: Props) {
  const { question, asker, buttons } = ask
  const draft = useDraft(ask)
  const card = useRef<HTMLElement>(null)
  const { sending, problem, unconfirmed, setProblem, send, sendHeld } = useSending(ask, draft, card, onAnswer)
  const [appearedAt] = useState(() => performance.now())
  const hidden = useHidden()
  const isBlocked = hidden.texts.size > 0
  const isOpen = ask.state.kind === 'open'
  const secret = question.kind === 'url' ? question.secret : undefined

  useEffect(() => {
    if (problem?.issues !== undefined) focusFirst(card.current, '[aria-invalid=true], [data-error] input')
  }, [problem])

  const isSeen = useCardSeen(card)
  const [mustRead, setMustRead] = useState(false)
  const isFresh = useJustChanged(isBlocked)
  const isLost = useIsLost()
  const press = (button: ButtonView, byKey = false) => {
    // A click or key that was meant for the card before this one.
    if (isLost || isFresh || performance.now() - appearedAt < inertMs) return
    if (isBlocked && needsReading(button)) return focusFirst(card.current, '.show-all-first')
    if (byKey && !isSeen && needsReading(button)) return setMustRead(true)
    onPressed()
    if (isHeldBack(ask, button)) holdAnswer(ask.id, button, ask.undoMs ?? 0, () => void sendHeld(button))
    else void send(button)
  }
  const showAll = () => {
    // What was hidden begins where its own button is now.
    card.current?.querySelector('.show-all')?.scrollIntoView({ block: 'center' })
    hidden.showAll()
    card.current?.focus({ preventScroll: true })
  }
  const held = useHeldAnswer(ask.id)
  const stage = stageOf(ask, held, sending)
  const onPressed = useReturnFocus(stage, () => focusTarget(card.current, stage))
  const undo = () => {
    onPressed()
    undoAnswer(ask.id)
  }
  useEffect(() => {
    if (!isOpen) undoAnswer(ask.id)
  }, [isOpen, ask.id])
  const keyed = [...buttons, ...menuOf(ask)].flatMap((button) =>
    isOpen && held === undefined && button.key !== undefined ? [[button.key, () => press(button, true)] as const] : [],
  )
  useShortcuts({
    ...Object.fromEntries(keyed),
    ...(held === undefined ? {} : { [undoKey]: undo }),
    c: () => writeComment(card.current),
    e: () => focusFirst(card.current, 'form input, form textarea'),
  })
  const hasForm = isOpen && held === undefined && secret === undefined && buttons.length > 0

  return (
    <article
      className="card"
      ref={card}
      tabIndex={-1}
      aria-label={ask.headline}
      data-ask={ask.id}
      data-state={ask.state.kind}
    >
      <HiddenProvider value={hidden}>
        <header className="card-head">
          <p className="card-who">
            <Parts of={cardText.askerParts(ask)} />{' '}
            <span className="card-asks">{(isOpen ? cardText.asks : cardText.asked)[kindOf(ask)]}</span>
          </p>
          {isOpen && <Deadline ask={ask} onPassed={onPassed} />}
        </header>
        {!isOpen && problem?.code === 'ended' && (
          <p className="problem" role="alert">
            {cardText.answers.tooLate}
          </p>
        )}
        <Settled ask={ask} />
        {isOpen && ask.askedAgain !== undefined && <p className="notice">{cardText.sentence(ask.askedAgain)}</p>}
        <QuestionDetails ask={ask} />
        {asker.isAgent !== true && <Provenance ask={ask} />}
        <CheckedFacts question={question} />
        <Claim ask={ask} />
        <CallContext ask={ask} />
        {ask.quorum !== undefined && (
          <Quorum
            quorum={ask.quorum}
            policies={question.kind === 'approval' ? question.policies : undefined}
            isOpen={isOpen}
            mayAnswer={ask.answers.length > 0}
          />
        )}
        <Details question={question} />
        <LateNote ask={ask} comment={draft.comment} />
        {isOpen && ask.answers.length === 0 && (
          <p className="notice">
            {ask.quorum?.votes.some(({ by }) => by.isYou) === true
              ? cardText.facts.waitingForOthers
              : cardText.facts.decidedByOthers}
          </p>
        )}
        {isOpen && secret !== undefined && onHandOver !== undefined && (
          <SecretForm
            ask={ask}
            sending={sending}
            problem={problem}
            onHandOver={(typed) => {
              onPressed()
              return onHandOver(ask, typed, secret)
            }}
            onPress={press}
          />
        )}
        {isOpen && held !== undefined && <HeldBar held={held} onUndo={undo} />}
        {hasForm && (
          <AnswerForm
            ask={ask}
            draft={draft}
            hidden={hidden}
            sending={sending}
            problem={problem}
            unconfirmed={unconfirmed}
            isFresh={isFresh}
            mustRead={mustRead && !isSeen}
            onPress={press}
            onSendAnyway={(button) => void send(button, true)}
            onShowAll={showAll}
            onProblem={setProblem}
          />
        )}
      </HiddenProvider>
    </article>
  )
}

/** For a moment after a change, so that a second click on a button does not press the one that replaced it. */
function useJustChanged(value: boolean): boolean {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    // Becoming blocked needs no pause: it happens while the card appears.
    const timer = setTimeout(() => setSettled(value), value ? 0 : inertMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled && !value
}

/** A yes to something destructive can be undone for some seconds, unless the time to answer is nearly over. */
function isHeldBack({ undoMs, decideByMs }: AskView, { verdict }: ButtonView): boolean {
  return undoMs !== undefined && verdict === 'yes' && decideByMs - serverNow() >= undoNeedsMs
}

type Stage = 'open' | 'sending' | 'held' | 'answered' | 'ended'

function stageOf({ state, buttons }: AskView, held: HeldAnswer | undefined, sending: ButtonView | undefined): Stage {
  if (state.kind !== 'open') return 'ended'
  if (held !== undefined) return 'held'
  if (sending !== undefined) return 'sending'
  return buttons.length === 0 ? 'answered' : 'open'
}

/** What takes the focus of buttons that are gone. */
function focusTarget(card: HTMLElement | null, stage: Stage): HTMLElement | null | undefined {
  if (stage === 'sending') return undefined
  return stage === 'open' || stage === 'answered' ? card : card?.querySelector<HTMLElement>('.held button, .settled')
}

/** Opens the comment box, or moves the focus there. */
function writeComment(card: HTMLElement | null): void {
  const box = card?.querySelector<HTMLElement>('textarea[data-comment], button[data-comment]')
  if (box instanceof HTMLButtonElement) box.click()
  else box?.focus()
}

function kindOf({ question }: AskView): keyof typeof cardText.asks {
  if (question.kind === 'approval' && question.action.kind === 'definition') return 'definition'
  if (question.kind === 'approval' && question.policies !== undefined) return 'policy'
  if (isAboutCall(question) || (question.kind === 'form' && question.isApproval === true)) return 'approval'
  return question.kind === 'url' && question.secret !== undefined ? 'secret' : question.kind
}

function focusFirst(card: HTMLElement | null, selector: string): void {
  card?.querySelector<HTMLElement>(selector)?.focus()
}
