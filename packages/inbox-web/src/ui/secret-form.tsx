// The form for a secret. It is encrypted before it is sent, and cleared from the form once it has been.

import type { AskView, ButtonView, InboxProblem } from '@assent/core'
import { Button } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import type { Refusal } from '../api/decide.ts'
import { canSeal, isTooLong, maxSecretBytes } from '../api/seal-secret.ts'
import { SecretInput } from '../form/secret-input.tsx'
import { cardText } from '../text/card.ts'
import { AnswerBar } from './answer-bar.tsx'
import { sendProblem } from './send-problem.ts'

interface Props {
  readonly ask: AskView
  readonly sending: ButtonView | undefined
  readonly problem: InboxProblem | undefined
  readonly onHandOver: (secret: string) => Promise<Refusal>
  readonly onPress: (button: ButtonView) => void
}

export function SecretForm({ ask, sending, problem, onHandOver, onPress }: Props) {
  const [secret, setSecret] = useState('')
  const [error, setError] = useState<string>()
  const [refusal, setRefusal] = useState<InboxProblem>()
  const [isSending, setSending] = useState(false)
  const isLost = useIsLost()
  const shownProblem = problem ?? refusal

  const handOver = async (event: FormEvent) => {
    event.preventDefault()
    if (isLost || isSending || sending !== undefined) return
    const invalid = secret === '' ? cardText.secret.missing : isTooLong(secret) ? tooLong : undefined
    setError(invalid)
    if (invalid !== undefined) return
    setSending(true)
    const refused = await onHandOver(secret)
    if (refused === undefined) setSecret('')
    setRefusal(refused === 'left' ? undefined : refused)
    setSending(false)
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
          {cardText.link.danger}
          {cardText.secret.plainHttp}
        </p>
      )}
      {shownProblem !== undefined && (
        <p className="problem" role="alert">
          {sendProblem(shownProblem)}
        </p>
      )}
      <div className="secret-bar">
        {canSeal && (
          <Button type="submit" className="answer answer-accept" loading={isSending} disabled={isLost}>
            {cardText.secret.send}
          </Button>
        )}
        <AnswerBar ask={ask} sending={sending} onPress={onPress} />
      </div>
    </form>
  )
}

const tooLong = cardText.secret.tooLong(maxSecretBytes / 1_024)
