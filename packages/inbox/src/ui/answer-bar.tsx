// The answers that are possible, and no others.
//
// None of them has the focus when a card appears, and for a moment after that none can be pressed: what was meant for
// the card before must not decide this one.

import type { AskView } from '@assent/core'
import { Button, Kbd } from '@mantine/core'

export type AnswerAction = AskView['answers'][number]

const answerWords: Readonly<Record<Exclude<AnswerAction, 'accept'>, string>> = {
  decline: 'Decline',
  cancel: 'Dismiss',
}
export const answerKeys: Readonly<Record<AnswerAction, string>> = { accept: 'a', decline: 'd', cancel: 'x' }

const looks: Readonly<Record<AnswerAction, 'filled' | 'default' | 'subtle'>> = {
  accept: 'filled',
  decline: 'default',
  cancel: 'subtle',
}

interface Props {
  /** What a yes is called: a form is answered, an action approved. */
  readonly yes: 'Approve' | 'Answer'
  readonly answers: AskView['answers']
  readonly sending: AnswerAction | undefined
  readonly onAnswer: (action: AnswerAction) => void
}

export function AnswerBar({ yes, answers, sending, onAnswer }: Props) {
  return (
    <div className="answer-bar">
      {answers.map((action) => (
        <Button
          key={action}
          variant={looks[action]}
          className={`answer answer-${action}`}
          loading={sending === action}
          disabled={sending !== undefined && sending !== action}
          rightSection={
            <Kbd aria-hidden="true" className="key">
              {answerKeys[action]}
            </Kbd>
          }
          title={action === 'cancel' ? 'The agent is told that you made no choice' : undefined}
          aria-keyshortcuts={answerKeys[action]}
          onClick={() => onAnswer(action)}
        >
          {action === 'accept' ? yes : answerWords[action]}
        </Button>
      ))}
    </div>
  )
}
