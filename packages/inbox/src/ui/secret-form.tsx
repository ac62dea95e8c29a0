// Hands a secret over, or says no. It is encrypted before it leaves, and forgotten here as soon as it has.

import type { AskView, InboxProblem } from '@assent/core'
import { Button } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { canSeal, isTooLong, secretBytesMost } from '../form/seal-secret.ts'
import { SecretInput } from '../form/secret-input.tsx'
import { type AnswerAction, AnswerBar } from './answer-bar.tsx'

interface Props {
  readonly ask: AskView
  readonly sending: AnswerAction | undefined
  readonly problem: InboxProblem | undefined
  readonly onHandOver: (secret: string) => Promise<InboxProblem | undefined>
  readonly onAnswer: (action: AnswerAction) => void
}

export function SecretForm({ ask, sending, problem, onHandOver, onAnswer }: Props) {
  const [secret, setSecret] = useState('')
  const [error, setError] = useState<string>()
  const [refusal, setRefusal] = useState<InboxProblem>()
  const [isHanding, setHanding] = useState(false)
  const trouble = problem ?? refusal

  const handOver = async (event: FormEvent) => {
    event.preventDefault()
    if (isHanding || sending !== undefined) return
    const wrong = secret === '' ? 'Type or paste it first.' : isTooLong(secret) ? tooLong : undefined
    setError(wrong)
    if (wrong !== undefined) return
    setHanding(true)
    const told = await onHandOver(secret)
    if (told === undefined) setSecret('')
    setRefusal(told)
    setHanding(false)
  }

  return (
    <form className="answer-form" noValidate onSubmit={(event) => void handOver(event)}>
      {canSeal ? (
        <SecretInput
          value={secret}
          error={error}
          onChange={(typed) => {
            setSecret(typed)
            setError(undefined)
          }}
        />
      ) : (
        <p className="warning" data-level="danger">
          This page came over plain http, where browsers do not encrypt, so nothing can be handed over here. Open the
          inbox over https.
        </p>
      )}
      {trouble !== undefined && (
        <p className="problem" role="alert">
          {trouble.message}
        </p>
      )}
      <div className="secret-bar">
        {canSeal && (
          <Button type="submit" className="answer answer-accept" loading={isHanding}>
            Hand over
          </Button>
        )}
        <AnswerBar yes="Answer" answers={ask.answers} sending={sending} onAnswer={onAnswer} />
      </div>
    </form>
  )
}

const tooLong = `This is more than can be handed over: at most ${secretBytesMost / 1_024} KiB.`
