// The state of a card's form and comment, kept as a draft until it is sent.

import type { AskView } from '@assent/core'
import { useEffect, useState } from 'react'
import { type Draft, deleteDraft, readDraft, writeDraft } from '../form/drafts.ts'
import type { FormValues } from '../form/form-values.ts'

const saveAfterMs = 300

export interface Drafted {
  readonly comment: string
  readonly values: FormValues
  readonly setComment: (comment: string) => void
  readonly setValues: (change: (before: FormValues) => FormValues) => void
  /** A draft from the last time that this question was asked. */
  readonly offered: Draft | undefined
  readonly use: () => void
  /** Nothing is kept from now on: it was sent, or it must not be stored. */
  readonly discard: () => void
}

export function useDraft(ask: AskView): Drafted {
  const [found, setFound] = useState(() => (ask.id === 'example' ? undefined : readDraft(ask)))
  const own = found?.askId === ask.id ? found : undefined
  const [comment, setComment] = useState(own?.comment ?? '')
  const [values, setValues] = useState<FormValues>(() => new Map(own?.values))
  const [isKept, setKept] = useState(ask.id !== 'example')
  const isOpen = ask.state.kind === 'open'
  const isWritten = comment.trim() !== '' || values.size > 0

  useEffect(() => {
    if (!isKept || !isOpen || !isWritten) return
    const timer = setTimeout(() => writeDraft(ask, comment, values), saveAfterMs)
    return () => clearTimeout(timer)
  }, [ask, comment, values, isKept, isOpen, isWritten])

  const discard = () => {
    deleteDraft(ask)
    setFound(undefined)
    setKept(false)
  }
  return {
    comment,
    values,
    setComment: (text) => {
      setKept(ask.id !== 'example')
      setComment(text)
    },
    setValues,
    offered: own === undefined && !isWritten ? found : undefined,
    use: () => {
      if (found === undefined) return
      setComment(found.comment)
      setValues(new Map(found.values))
      setFound(undefined)
    },
    discard,
  }
}
