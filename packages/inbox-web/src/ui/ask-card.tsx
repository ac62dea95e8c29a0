// One ask as a card: what will happen, who asks, what they claim, the possible answers; once settled, the outcome.
//
// The card knows neither router nor queries. It holds the form's values and passes an answer to `onAnswer`, which returns
// the problem if the answer was refused.

import type { AnswerBody, AskView, InboxProblem, QuestionView, SecretView } from '@assent/core'
import { Button, Kbd } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { FieldInput } from '../form/field-input.tsx'
import { contentOf, suggestions, withValue } from '../form/form-values.ts'
import { type AnswerAction, AnswerBar, answerKeys } from './answer-bar.tsx'
import { EndMarker } from './call-view.tsx'
import { useCardSeen } from './card-seen.ts'
import { CommentBox, commentOf } from './comment-box.tsx'
import { Deadline } from './deadline.tsx'
import { CallContext, CheckedFacts, Claim, Facts, isAboutCall, Provenance, QuestionDetails } from './question-view.tsx'
import { SecretForm } from './secret-form.tsx'
import { Settled } from './settled.tsx'
import { useShortcuts } from './shortcuts.ts'

/** A key or click meant for the previous card must not answer this one. */
const inertMs = 500

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
  /** Returns the problem if the answer was refused. `confirmed`: send it although something in it looks like a secret. */
  readonly onAnswer: (answer: AnswerBody['answer'], confirmed: boolean) => Promise<InboxProblem | undefined>
  /** Like `onAnswer`, for a secret. */
  readonly onHandOver?: (secret: string, view: SecretView) => Promise<InboxProblem | undefined>
  /** The deadline has passed. */
  readonly onPassed: () => void
}

export function AskCard({ ask, onAnswer, onHandOver, onPassed }: Props) {
  const { question, asker } = ask
  const decision = question.kind === 'form' ? question.decision : undefined
  const fields = question.kind === 'form' && decision === undefined ? question.fields : []
  const [values, setValues] = useState(() => suggestions(fields))
  const [comment, setComment] = useState('')
  const [problem, setProblem] = useState<InboxProblem>()
  const [sending, setSending] = useState<AnswerAction>()
  const [unconfirmed, setUnconfirmed] = useState<AnswerAction>()
  const [appearedAt] = useState(() => performance.now())
  const card = useRef<HTMLElement>(null)
  const isOpen = ask.state.kind === 'open'
  const secret = question.kind === 'url' ? question.secret : undefined

  const issues = new Map(problem?.issues?.map(({ field, message }) => [field, message]))
  useEffect(() => {
    if (problem?.issues !== undefined) focusFirst(card.current, '[aria-invalid=true], [data-error] input')
  }, [problem])

  const send = async (action: AnswerAction, confirmed = false) => {
    if (sending !== undefined || !ask.answers.includes(action) || performance.now() - appearedAt < inertMs) return
    setSending(action)
    setProblem(undefined)
    const content =
      action === 'accept' && question.kind === 'form' ? { content: decision?.content ?? contentOf(values) } : {}
    const withComment = commentOf(ask, action === 'accept', comment, values)
    const refused = await onAnswer({ action, ...content, ...withComment }, confirmed)
    setUnconfirmed(refused?.code === 'looks-secret' ? action : undefined)
    setProblem(refused)
    setSending(undefined)
  }
  const isSeen = useCardSeen(card)
  const [isReadHintShown, setReadHintShown] = useState(false)
  const acceptByKey = () => {
    if (isSeen) void send('accept')
    else setReadHintShown(ask.answers.includes('accept'))
  }
  useShortcuts({
    [answerKeys.accept]: acceptByKey,
    y: acceptByKey,
    [answerKeys.decline]: () => void send('decline'),
    [answerKeys.cancel]: () => void send('cancel'),
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
      <header className="card-head">
        <p className="card-who">
          <strong>{asker.server}</strong> {(isOpen ? askingText : askedText)[kindOf(question)]}
        </p>
        {isOpen && <Deadline ask={ask} onPassed={onPassed} />}
      </header>
      {isOpen && ask.askedAgain !== undefined && <p className="notice">{ask.askedAgain}.</p>}
      <QuestionDetails ask={ask} />
      <Provenance ask={ask} />
      {ask.question.kind === 'form' && ask.question.checked !== undefined && (
        <CheckedFacts text={ask.question.checked} />
      )}
      <QuestionClaim ask={ask} />
      <CallContext ask={ask} />
      <Facts ask={ask} />
      {isOpen && ask.answers.length === 0 && <p className="notice">You have answered. Others are still to decide.</p>}
      {isOpen && secret !== undefined && onHandOver !== undefined && (
        <SecretForm
          ask={ask}
          sending={sending}
          problem={problem}
          onHandOver={(typed) => onHandOver(typed, secret)}
          onAnswer={(action) => void send(action)}
        />
      )}
      {isOpen && secret === undefined && ask.answers.length > 0 && (
        <form className="answer-form" noValidate onSubmit={(event) => event.preventDefault()}>
          {fields.map((field) => (
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
          ))}
          {ask.commentField === undefined && (
            <CommentBox reaches={ask.commentReaches} value={comment} onChange={setComment} />
          )}
          {ask.commentField !== undefined && ask.commentReaches === 'audit-log' && (
            <p className="comment-note">If you decline or dismiss, what you wrote is saved in the audit log only.</p>
          )}
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem.message}
            </p>
          )}
          {problem?.code === 'looks-secret' && unconfirmed !== undefined && (
            <Button variant="default" className="send-anyway" onClick={() => void send(unconfirmed, true)}>
              Send it anyway
            </Button>
          )}
          <EndMarker />
          {isReadHintShown && !isSeen && (
            <p className="notice" role="status">
              Read to the end of the card first. Then <Kbd>{answerKeys.accept}</Kbd> works.
            </p>
          )}
          <AnswerBar
            acceptLabel={fields.length === 0 ? 'Approve' : 'Answer'}
            answers={ask.answers}
            sending={sending}
            onAnswer={(action) => void send(action)}
          />
        </form>
      )}
      {!isOpen && problem !== undefined && (
        <p className="problem" role="alert">
          Your answer came too late and changed nothing.
        </p>
      )}
      <Settled ask={ask} />
    </article>
  )
}

function kindOf(question: QuestionView): keyof typeof askingText {
  if (question.kind === 'form' && question.decision !== undefined) return 'decision'
  if (isAboutCall(question)) return 'confirm'
  return question.kind === 'url' && question.secret !== undefined ? 'secret' : question.kind
}

/** The claim without its first line if that is already the card's title. */
function QuestionClaim({ ask: { question, asker, headline } }: { readonly ask: AskView }) {
  const { claim } = question
  const isDecision = isAboutCall(question)
  const text = question.kind === 'form' && !isDecision ? withoutHeadline(question.claim, headline) : claim
  if (text === undefined || text === '') return null
  return <Claim server={asker.server} text={text} about={isDecision ? ' what it is about to do' : ''} />
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
