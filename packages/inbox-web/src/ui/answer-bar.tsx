// The buttons for the possible answers.
//
// None is focused when a card appears, and for a moment none reacts: a key or click meant for the previous card must not
// answer this one.

import type { AskView } from '@assent/core'
import { Button, Kbd } from '@mantine/core'

export type AnswerAction = AskView['answers'][number]

const answerLabels: Readonly<Record<Exclude<AnswerAction, 'accept'>, string>> = {
  decline: 'Decline',
  cancel: 'Dismiss',
}
export const answerKeys: Readonly<Record<AnswerAction, string>> = { accept: 'a', decline: 'd', cancel: 'x' }

const variants: Readonly<Record<AnswerAction, 'filled' | 'default' | 'subtle'>> = {
  accept: 'filled',
  decline: 'default',
  cancel: 'subtle',
}

interface Props {
  /** The label of `accept`: a form is answered, an action approved. */
  readonly acceptLabel: 'Approve' | 'Answer'
  readonly answers: AskView['answers']
  readonly sending: AnswerAction | undefined
  readonly onAnswer: (action: AnswerAction) => void
}

export function AnswerBar({ acceptLabel, answers, sending, onAnswer }: Props) {
  return (
    <div className="answer-bar">
      {answers.map((action) => (
        <Button
          key={action}
          variant={variants[action]}
          className={`answer answer-${action}`}
          loading={sending === action}
          disabled={sending !== undefined && sending !== action}
          rightSection={
            <Kbd aria-hidden="true" className="key">
              {answerKeys[action]}
            </Kbd>
          }
          title={action === 'cancel' ? 'Tells the agent that you made no choice' : undefined}
          aria-keyshortcuts={answerKeys[action]}
          onClick={() => onAnswer(action)}
        >
          {action === 'accept' ? acceptLabel : answerLabels[action]}
        </Button>
      ))}
    </div>
  )
}
