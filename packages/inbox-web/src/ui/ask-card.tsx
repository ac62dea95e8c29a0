// One ask as a card: what will happen, who asks, what they claim, the possible answers; once settled, the outcome.
//
// The card knows neither router nor queries. It holds the form's values and passes an answer to `onAnswer`, which returns
// the problem if the answer was refused.

import type { AnswerBody, AskView, ButtonView, InboxProblem, QuestionView, SecretView } from '@assent/core'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import type { Refusal } from '../api/decide.ts'
import { serverNow } from '../api/server-time.ts'
import { FieldInput } from '../form/field-input.tsx'
import { withValue } from '../form/form-values.ts'
import { AnswerBar, menuOf, needsReading } from './answer-bar.tsx'
import { answerOf } from './answer-of.ts'
import { EndMarker } from './call-view.tsx'
import { useCardSeen } from './card-seen.ts'
import { CommentBox } from './comment-box.tsx'
import { Deadline } from './deadline.tsx'
import { holdAnswer, undoAnswer, useHeldAnswer } from './held-answers.ts'
import { HeldBar, undoKey } from './held-bar.tsx'
import { inertMs } from './inert.ts'
import { LateNote } from './late-note.tsx'
import { CallContext, CheckedFacts, Claim, Facts, isAboutCall, Provenance, QuestionDetails } from './question-view.tsx'
import { SecretForm } from './secret-form.tsx'
import { sendProblem } from './send-problem.ts'
import { Settled } from './settled.tsx'
import { useShortcuts } from './shortcuts.ts'
import { HiddenProvider, useHidden } from './shown-text.tsx'
import { useDraft } from './use-draft.ts'

/** As `askLimits.undoNeedsMs` in core, of which the page loads only types. */
const undoNeedsMs = 15_000

const askingText = {
  form: 'has a question',
  decision: 'asks for your approval',
  confirm: 'asks you to confirm',
  url: 'wants to open a page',
  secret: 'asks for a secret',
  approval: 'wants to act',
} as const
const askedText = {
  form: 'had a question',
  decision: 'asked for your approval',
  confirm: 'asked you to confirm',
  url: 'wanted to open a page',
  secret: 'asked for a secret',
  approval: 'wanted to act',
} as const

interface Props {
  readonly ask: AskView
  /** Sends the answer. `confirmed`: although something in it looks like a secret. */
  readonly onAnswer: (ask: AskView, answer: AnswerBody['answer'], confirmed: boolean) => Promise<Refusal>
  /** Like `onAnswer`, for a secret. */
  readonly onHandOver?: (ask: AskView, secret: string, view: SecretView) => Promise<Refusal>
  /** The deadline has passed. */
  readonly onPassed: () => void
}

export function AskCard({ ask, onAnswer, onHandOver, onPassed }: Props) {
  const { question, asker, buttons } = ask
  const fillsIn = buttons.find((button) => button.fillsIn === true)
  const fields = question.kind === 'form' ? question.fields : []
  const draft = useDraft(ask)
  const { comment, values, setComment, setValues } = draft
  const [problem, setProblem] = useState<InboxProblem>()
  const [sending, setSending] = useState<ButtonView>()
  const [unconfirmed, setUnconfirmed] = useState<ButtonView>()
  const [appearedAt] = useState(() => performance.now())
  const card = useRef<HTMLElement>(null)
  const hidden = useHidden()
  const isBlocked = hidden.ids.size > 0
  const isOpen = ask.state.kind === 'open'
  const secret = question.kind === 'url' ? question.secret : undefined

  const issues = new Map(problem?.issues?.map(({ field, message }) => [field, message]))
  useEffect(() => {
    if (problem?.issues !== undefined) focusFirst(card.current, '[aria-invalid=true], [data-error] input')
  }, [problem])

  const send = async (button: ButtonView, confirmed = false) => {
    if (sending !== undefined || performance.now() - appearedAt < inertMs) return
    setSending(button)
    setProblem(undefined)
    const refused = await onAnswer(ask, answerOf(ask, button, { comment, values }), confirmed)
    if (refused === 'left') return setSending(undefined)
    // A draft would store what looks like a secret.
    if (refused === undefined || refused.code === 'looks-secret') draft.discard()
    setUnconfirmed(refused?.code === 'looks-secret' ? button : undefined)
    setProblem(refused)
    setSending(undefined)
  }
  const isSeen = useCardSeen(card)
  const [hint, setHint] = useState<'read' | 'show'>()
  const isLost = useIsLost()
  const press = (button: ButtonView, byKey = false) => {
    if (isLost) return
    if (isBlocked && needsReading(button)) {
      setHint('show')
      focusFirst(card.current, '.show-all')
    } else if (byKey && !isSeen && needsReading(button)) setHint('read')
    else if (isHeldBack(ask, button)) holdAnswer(ask.id, button, ask.undoMs ?? 0, () => void send(button))
    else void send(button)
  }
  const held = useHeldAnswer(ask.id)
  const undo = () => undoAnswer(ask.id)
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
            <AskerName ask={ask} /> {(isOpen ? askingText : askedText)[kindOf(question)]}
          </p>
          {isOpen && <Deadline ask={ask} onPassed={onPassed} />}
        </header>
        {isOpen && ask.askedAgain !== undefined && <p className="notice">{ask.askedAgain}.</p>}
        <QuestionDetails ask={ask} />
        {asker.isAgent !== true && <Provenance ask={ask} />}
        {ask.question.kind === 'form' && ask.question.checked !== undefined && (
          <CheckedFacts text={ask.question.checked} />
        )}
        <QuestionClaim ask={ask} />
        <CallContext ask={ask} />
        <Facts ask={ask} />
      </HiddenProvider>
      {isOpen && ask.answers.length === 0 && <p className="notice">You have answered. Others are still to decide.</p>}
      {isOpen && secret !== undefined && onHandOver !== undefined && (
        <SecretForm
          ask={ask}
          sending={sending}
          problem={problem}
          onHandOver={(typed) => onHandOver(ask, typed, secret)}
          onPress={press}
        />
      )}
      {isOpen && held !== undefined && <HeldBar held={held} onUndo={undo} />}
      {isOpen && held === undefined && secret === undefined && buttons.length > 0 && (
        <form
          className="answer-form"
          noValidate
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || fillsIn === undefined) return
            event.preventDefault()
            press(fillsIn)
          }}
        >
          {draft.offered !== undefined && (
            <p className="draft">
              You began to answer this question before.{' '}
              <button type="button" className="link-button" onClick={draft.use}>
                Use what you wrote
              </button>{' '}
              <button type="button" className="link-button" onClick={draft.discard}>
                Discard it
              </button>
            </p>
          )}
          {fillsIn === undefined ? (
            <ButtonsLabel ask={ask} />
          ) : (
            fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values.get(field.name)}
                error={issues.get(field.name)}
                onChange={(value) => {
                  setValues((before) => withValue(before, field.name, value))
                  setProblem((before) => withoutIssue(before, field.name))
                }}
              />
            ))
          )}
          {(fillsIn === undefined || ask.commentField === undefined) && (
            <CommentBox ask={ask} value={comment} error={issues.get(ask.commentField ?? '')} onChange={setComment} />
          )}
          {fillsIn !== undefined && ask.commentField !== undefined && ask.commentReaches === 'audit-log' && (
            <p className="comment-note">If you decline or dismiss, what you wrote is saved in the audit log only.</p>
          )}
          {problem !== undefined && (
            <p className="problem" role="alert">
              {sendProblem(problem)} {problem.code === 'presence' && <a href="/passkeys">Passkeys</a>}
            </p>
          )}
          {problem?.code === 'looks-secret' && unconfirmed !== undefined && (
            <Button variant="default" className="send-anyway" onClick={() => void send(unconfirmed, true)}>
              Send it anyway
            </Button>
          )}
          {hint === 'read' && !isSeen && (
            <p className="notice" role="status">
              Read to the end of the card first. Then the key works.
            </p>
          )}
          {hint === 'show' && isBlocked && (
            <p className="notice" role="status">
              Some of the text is not shown yet. Press “Show all” first.
            </p>
          )}
          {ask.needsPresence === true && <p className="comment-note">Accepting this asks for your passkey.</p>}
          <div className="answers">
            <EndMarker />
            <AnswerBar ask={ask} sending={sending} isBlocked={isBlocked} onPress={press} />
          </div>
        </form>
      )}
      {!isOpen && problem !== undefined && (
        <p className="problem" role="alert">
          Your answer came too late and changed nothing.
        </p>
      )}
      <Settled ask={ask} />
      <LateNote ask={ask} comment={comment} />
    </article>
  )
}

/** A yes to something destructive can be undone for some seconds, unless the time to answer is nearly over. */
function isHeldBack({ undoMs, decideByMs }: AskView, { verdict }: ButtonView): boolean {
  return undoMs !== undefined && verdict === 'yes' && decideByMs - serverNow() >= undoNeedsMs
}

/** The agent and where it works, or the server. */
function AskerName({ ask: { asker, caller = {} } }: { readonly ask: AskView }) {
  if (asker.isAgent !== true) return <strong>{asker.server}</strong>
  const { client = asker.server, folder, branch } = caller
  return (
    <>
      <strong>{client}</strong>
      {folder !== undefined && (
        <>
          {' '}
          in <strong>{folder}</strong>
        </>
      )}
      {branch !== undefined && ` (${branch})`}
    </>
  )
}

/** What the asker calls the choice, if that says more than the question. */
function ButtonsLabel({ ask: { question, commentField, headline, buttons } }: { readonly ask: AskView }) {
  const field =
    question.kind === 'form' && question.decision === undefined
      ? question.fields.find(({ name }) => name !== commentField)
      : undefined
  if (field === undefined) return null
  const { label, isUntitled, help } = field
  const isSaid = label === headline || plainLabels.has(label) || buttons.some((button) => button.label === label)
  const saysMore = isUntitled !== true && !isSaid
  if (!saysMore && help === undefined) return null
  return (
    <div className="buttons-label">
      {saysMore && <p className="field-label">{label}</p>}
      {help !== undefined && <p className="field-help">{help}</p>}
    </div>
  )
}

/** Titles that every client needs and that say nothing beside the question. */
const plainLabels = new Set(['Your answer', 'Your choice', 'Decision'])

/** Opens the comment box, or moves the focus there. */
function writeComment(card: HTMLElement | null): void {
  const box = card?.querySelector<HTMLElement>('textarea[data-comment], button[data-comment]')
  if (box instanceof HTMLButtonElement) box.click()
  else box?.focus()
}

function kindOf(question: QuestionView): keyof typeof askingText {
  if (question.kind === 'form' && question.decision !== undefined) return 'decision'
  if (isAboutCall(question)) return 'confirm'
  return question.kind === 'url' && question.secret !== undefined ? 'secret' : question.kind
}

/** The claim without its first line if that is already the card's title. */
function QuestionClaim({ ask: { question, asker, caller, headline } }: { readonly ask: AskView }) {
  const { claim } = question
  const isDeclared = question.kind === 'form' && question.declared !== undefined
  const isDecision = isAboutCall(question) && !isDeclared
  const text =
    question.kind === 'form' && !isDecision && !isDeclared ? withoutHeadline(question.claim, headline) : claim
  if (text === undefined || text === '') return null
  const by = asker.isAgent === true ? (caller?.client ?? asker.server) : asker.server
  return <Claim server={by} text={text} about={isDecision ? ' what it is about to do' : ''} />
}

function withoutHeadline(claim: string, headline: string): string {
  const text = claim.trim()
  const rest = text.slice(headline.length)
  return text.startsWith(headline) && (rest === '' || rest.startsWith('\n')) ? rest.trim() : claim
}

function withoutIssue(problem: InboxProblem | undefined, field: string): InboxProblem | undefined {
  if (problem?.issues === undefined) return problem
  const issues = problem.issues.filter((issue) => issue.field !== field)
  return issues.length === 0 ? undefined : { ...problem, issues }
}

function focusFirst(card: HTMLElement | null, selector: string): void {
  card?.querySelector<HTMLElement>(selector)?.focus()
}
