// The part of an open card in which a person answers: a draft to take up, the fields or the comment box, and the buttons.

import type { AskView, ButtonView, InboxProblem } from '@assent/core'
import { Button } from '@mantine/core'
import { Fragment } from 'react'
import { FieldInput } from '../form/field-input.tsx'
import { withValue } from '../form/form-values.ts'
import { cardText } from '../text/card.ts'
import { AnswerBar } from './answer-bar.tsx'
import { EndMarker } from './call-view.tsx'
import { CommentBox, commentReaders } from './comment-box.tsx'
import { sendProblem } from './send-problem.ts'
import { type Hidden, hiddenSize } from './shown-text.tsx'
import { problemCount } from './statements.tsx'
import type { Drafted } from './use-draft.ts'

interface Props {
  readonly ask: AskView
  readonly draft: Drafted
  readonly hidden: Hidden
  readonly sending: ButtonView | undefined
  readonly problem: InboxProblem | undefined
  /** The answer that was refused because something in it looks like a secret. */
  readonly unconfirmed: ButtonView | undefined
  readonly isFresh: boolean
  /** A key was pressed before the end of the card was in view. */
  readonly mustRead: boolean
  readonly onPress: (button: ButtonView) => void
  readonly onSendAnyway: (button: ButtonView) => void
  readonly onShowAll: () => void
  readonly onProblem: (change: (before: InboxProblem | undefined) => InboxProblem | undefined) => void
}

export function AnswerForm(props: Props) {
  const { ask, draft, hidden, sending, problem, unconfirmed, isFresh, mustRead } = props
  const { onPress, onSendAnyway, onShowAll, onProblem } = props
  const { question, buttons, commentField } = ask
  const { comment, values, setComment, setValues } = draft
  const fillsIn = buttons.find((button) => button.fillsIn === true)
  const fields = question.kind === 'form' ? question.fields : []
  const issues = new Map(problem?.issues?.map(({ field, message }) => [field, message]))
  return (
    <form
      className="answer-form"
      noValidate
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || fillsIn === undefined) return
        event.preventDefault()
        onPress(fillsIn)
      }}
    >
      {draft.offered !== undefined && (
        <p className="draft">
          {cardText.draft.offered}{' '}
          <button type="button" className="link-button" onClick={draft.use}>
            {cardText.draft.use}
          </button>{' '}
          <button type="button" className="link-button" onClick={draft.discardOffered}>
            {cardText.draft.discard}
          </button>
        </p>
      )}
      {fillsIn === undefined ? (
        <ButtonsLabel ask={ask} />
      ) : (
        fields.map((field) => (
          <Fragment key={field.name}>
            <FieldInput
              field={field}
              value={values.get(field.name)}
              error={issues.get(field.name)}
              onChange={(value) => {
                setValues((before) => withValue(before, field.name, value))
                onProblem((before) => withoutIssue(before, field.name))
              }}
            />
            {field.name === commentField && <p className="comment-note">{commentReaders(ask)}</p>}
          </Fragment>
        ))
      )}
      {(fillsIn === undefined || commentField === undefined) && (
        <CommentBox ask={ask} value={comment} error={issues.get(commentField ?? '')} onChange={setComment} />
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {sendProblem(problem)} {problem.code === 'presence' && <a href="/passkeys">{cardText.answers.passkeys}</a>}
        </p>
      )}
      {problem?.code === 'looks-secret' && unconfirmed !== undefined && (
        <Button variant="default" className="send-anyway" onClick={() => onSendAnyway(unconfirmed)}>
          {cardText.answers.sendAnyway}
        </Button>
      )}
      {mustRead && (
        <p className="notice" role="status">
          {cardText.answers.readFirst}
        </p>
      )}
      {question.kind === 'approval' && question.needsReason === true && (
        <p className="comment-note">{cardText.answers.needsReason}</p>
      )}
      {ask.needsPresence === true && <p className="comment-note">{cardText.answers.passkey}</p>}
      <div className="answers">
        <EndMarker />
        <AnswerBar
          ask={ask}
          sending={sending}
          hiddenSize={hidden.texts.size > 0 ? hiddenSize(hidden) : undefined}
          problems={problemCount(question)}
          isFresh={isFresh}
          onPress={onPress}
          onShowAll={onShowAll}
        />
      </div>
    </form>
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
  const isSaid = headline.includes(label) || plainLabels.has(label) || buttons.some((button) => button.label === label)
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

function withoutIssue(problem: InboxProblem | undefined, field: string): InboxProblem | undefined {
  if (problem?.issues === undefined) return problem
  const issues = problem.issues.filter((issue) => issue.field !== field)
  return issues.length === 0 ? undefined : { ...problem, issues }
}
