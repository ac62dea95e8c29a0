// One ask: what will happen, who asks, what they say, what can be answered; and when it has ended, how.
//
// The card knows no router and no query. It keeps what the person has filled in and hands an answer up; what comes back
// says whether it counted, and where it did not fit.

import type { AnswerBody, AskView, InboxProblem, QuestionView, SecretView } from '@assent/core'
import { Button, Kbd } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { contentOf, suggestions, withValue } from '../form/content.ts'
import { FieldInput } from '../form/field.tsx'
import { type AnswerAction, AnswerBar, answerKeys } from './answer-bar.tsx'
import { End } from './call-view.tsx'
import { CommentBox, commentOf } from './comment-box.tsx'
import { Deadline } from './deadline.tsx'
import { useKeys } from './keys.ts'
import { CallOf, Checked, Claim, Drawn, Facts, isAboutCall, Provenance } from './question-view.tsx'
import { SecretForm } from './secret-form.tsx'
import { Settled } from './settled.tsx'
import { useWholeCard } from './whole-card.ts'

/** A key or click that was on its way to the card before this one must not decide it. */
const inertMs = 500

const wants = {
  form: 'has a question',
  decision: 'asks for your approval',
  confirm: 'asks you to confirm',
  url: 'wants to open a page',
  secret: 'asks for a secret',
  approval: 'wants to act',
} as const
const wanted = {
  form: 'had a question',
  decision: 'asked for your approval',
  confirm: 'asked you to confirm',
  url: 'wanted to open a page',
  secret: 'asked for a secret',
  approval: 'wanted to act',
} as const

interface Props {
  readonly ask: AskView
  /**
   * What is wrong with the answer, if anything. `confirmed` when the person sends it although something in it looks like
   * a secret.
   */
  readonly onAnswer: (answer: AnswerBody['answer'], confirmed: boolean) => Promise<InboxProblem | undefined>
  /** The same for a secret. */
  readonly onHandOver?: (secret: string, view: SecretView) => Promise<InboxProblem | undefined>
  readonly onPassed: () => void
}

export function AskCard({ ask, onAnswer, onHandOver, onPassed }: Props) {
  const { question, asker } = ask
  const decision = question.kind === 'form' ? question.decision : undefined
  const fields = question.kind === 'form' && decision === undefined ? question.fields : []
  const [filled, setFilled] = useState(() => suggestions(fields))
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
      action === 'accept' && question.kind === 'form' ? { content: decision?.content ?? contentOf(filled) } : {}
    const said = commentOf(ask, action === 'accept', comment, filled)
    const wrong = await onAnswer({ action, ...content, ...said }, confirmed)
    setUnconfirmed(wrong?.code === 'looks-secret' ? action : undefined)
    setProblem(wrong)
    setSending(undefined)
  }
  const isWhole = useWholeCard(card)
  const [isTooSoon, setTooSoon] = useState(false)
  const acceptByKey = () => {
    if (isWhole) void send('accept')
    else setTooSoon(ask.answers.includes('accept'))
  }
  useKeys({
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
          <strong>{asker.server}</strong> {(isOpen ? wants : wanted)[kindOf(question)]}
        </p>
        {isOpen && <Deadline ask={ask} onPassed={onPassed} />}
      </header>
      {isOpen && ask.askedAgain !== undefined && <p className="notice">{ask.askedAgain}.</p>}
      <Drawn ask={ask} />
      <Provenance ask={ask} />
      {ask.question.kind === 'form' && ask.question.checked !== undefined && <Checked text={ask.question.checked} />}
      <ClaimOf ask={ask} />
      <CallOf ask={ask} />
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
              value={filled.get(field.name)}
              error={issues.get(field.name)}
              onChange={(value) => {
                setFilled((before) => withValue(before, field.name, value))
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
          <End />
          {isTooSoon && !isWhole && (
            <p className="notice" role="status">
              Read to the end of the card first. Then <Kbd>{answerKeys.accept}</Kbd> works.
            </p>
          )}
          <AnswerBar
            yes={fields.length === 0 ? 'Approve' : 'Answer'}
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

function kindOf(question: QuestionView): keyof typeof wants {
  if (question.kind === 'form' && question.decision !== undefined) return 'decision'
  if (isAboutCall(question)) return 'confirm'
  return question.kind === 'url' && question.secret !== undefined ? 'secret' : question.kind
}

/** A form's question is its message; the line that is the card's title is not repeated. */
function ClaimOf({ ask: { question, asker, headline } }: { readonly ask: AskView }) {
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

/** Keeps a function's identity while it changes, for what must not start over. */
export function useSame<T extends () => void>(act: T): () => void {
  const current = useRef(act)
  current.current = act
  return useCallback(() => current.current(), [])
}
