// Sends the answers of one card and keeps why the last one was refused.
//
// The reply may arrive when the card is no longer shown. Then the refusal is kept for the list, and for the next time that
// the card is opened.

import type { AnswerBody, AskView, ButtonView, InboxProblem } from '@assent/core'
import { type Dispatch, type RefObject, type SetStateAction, useEffect, useState } from 'react'
import { isInboxLost } from '../api/connection.ts'
import type { Refusal } from '../api/decide.ts'
import { cardText } from '../text/card.ts'
import { answerOf } from './answer-of.ts'
import { dropMissed, recordMissed, useMissedRefusals } from './missed-refusals.ts'
import type { Drafted } from './use-draft.ts'

/** How long a card is shown before the list no longer reports what it shows. */
const seenAfterMs = 2_000

export type SendAnswer = (ask: AskView, answer: AnswerBody['answer'], confirmed: boolean) => Promise<Refusal>

interface Sending {
  /** The button whose answer is being sent. */
  readonly sending: ButtonView | undefined
  readonly problem: InboxProblem | undefined
  /** The answer that was refused because something in it looks like a secret. */
  readonly unconfirmed: ButtonView | undefined
  readonly setProblem: Dispatch<SetStateAction<InboxProblem | undefined>>
  readonly send: (button: ButtonView, confirmed?: boolean) => Promise<void>
  /** Sends an answer that was held, unless the inbox was lost meanwhile: the person no longer waits for it. */
  readonly sendHeld: (button: ButtonView) => Promise<void>
}

export function useSending(
  ask: AskView,
  draft: Drafted,
  card: RefObject<HTMLElement | null>,
  onAnswer: SendAnswer,
): Sending {
  const { comment, values } = draft
  const [problem, setProblem] = useState<InboxProblem>()
  const [sending, setSending] = useState<ButtonView>()
  const [unconfirmed, setUnconfirmed] = useState<ButtonView>()

  const show = (button: ButtonView, refused: InboxProblem | undefined) => {
    setUnconfirmed(refused?.code === 'looks-secret' ? button : undefined)
    setProblem(refused)
  }
  const report = (button: ButtonView, refused: InboxProblem) => {
    const isFlagged = refused.code === 'looks-secret'
    // A draft would store what looks like a secret.
    if (isFlagged) draft.flag({ comment, values })
    if (card.current !== null) return show(button, refused)
    const flagged = isFlagged ? { comment, values } : undefined
    recordMissed({ askId: ask.id, headline: ask.headline, button, problem: refused, flagged })
  }
  const send = async (button: ButtonView, confirmed = false) => {
    if (sending !== undefined) return
    dropMissed(ask.id)
    setSending(button)
    setProblem(undefined)
    const refused = await onAnswer(ask, answerOf(ask, button, { comment, values }), confirmed)
    setSending(undefined)
    if (refused === 'left') return
    if (refused !== undefined) return report(button, refused)
    draft.end()
    show(button, undefined)
  }
  const sendHeld = async (button: ButtonView) =>
    isInboxLost() ? report(button, { code: 'refused', message: cardText.undo.notSent }) : send(button)

  const missed = useMissedRefusals().find(({ askId }) => askId === ask.id)
  useEffect(() => {
    if (missed === undefined) return
    show(missed.button, missed.problem)
    if (missed.flagged !== undefined) draft.restoreFlagged(missed.flagged)
    const timer = setTimeout(() => dropMissed(ask.id), seenAfterMs)
    return () => clearTimeout(timer)
  }, [missed, ask.id])

  return { sending, problem, unconfirmed, setProblem, send, sendHeld }
}
