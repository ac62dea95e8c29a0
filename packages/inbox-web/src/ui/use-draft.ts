// The state of a card's form and comment, kept as a draft until it is sent.

import type { AskView } from '@assent/core'
import { createContext, useContext, useEffect, useRef, useState } from 'react'
import { type Draft, deleteDraft, readDraft, writeDraft } from '../form/drafts.ts'
import type { FormValues } from '../form/form-values.ts'
import type { Written } from './answer-of.ts'
import { textsOf, withoutTexts } from './flagged-texts.ts'

const saveAfterMs = 300

/** The person who is signed in. Without one, drafts are neither read nor stored. */
export const DraftOwner = createContext<string | undefined>(undefined)

export interface Drafted extends Written {
  readonly setComment: (comment: string) => void
  readonly setValues: (change: (before: FormValues) => FormValues) => void
  /** A draft from the last time that this question was asked. */
  readonly offered: Draft | undefined
  readonly use: () => void
  readonly discardOffered: () => void
  /** It was sent: nothing is stored from now on. */
  readonly end: () => void
  /** This looks like a secret: it is not stored. */
  readonly flag: (written: Written) => void
  /** The same, and it is written here again. */
  readonly restoreFlagged: (written: Written) => void
}

export function useDraft(ask: AskView): Drafted {
  const person = useContext(DraftOwner)
  const owner = ask.id === 'example' ? undefined : person
  const [found, setFound] = useState(() => (owner === undefined ? undefined : readDraft(owner, ask)))
  const own = found?.askId === ask.id ? found : undefined
  const [comment, setComment] = useState(own?.comment ?? '')
  const [values, setValues] = useState<FormValues>(() => new Map(own?.values))
  const [flagged, setFlagged] = useState<readonly string[]>([])
  const [hasEnded, setEnded] = useState(false)
  /** Whether the stored draft is of this card. One that is only offered stays, although nothing is written here. */
  const isStored = useRef(own !== undefined)
  const isKept = owner !== undefined && !hasEnded && ask.state.kind === 'open'

  useEffect(() => {
    if (!isKept) return
    const kept = withoutTexts({ comment, values }, flagged)
    if (isEmpty(kept)) {
      if (isStored.current) deleteDraft(ask)
      isStored.current = false
      return
    }
    const timer = setTimeout(() => {
      isStored.current = true
      writeDraft(owner, ask, kept.comment, kept.values)
    }, saveAfterMs)
    return () => clearTimeout(timer)
  }, [ask, owner, comment, values, flagged, isKept])

  const discard = () => {
    isStored.current = false
    deleteDraft(ask)
    setFound(undefined)
  }
  const flag = (written: Written) => {
    discard()
    setFlagged(textsOf(written))
  }
  return {
    comment,
    values,
    setComment,
    setValues,
    offered: own === undefined && isEmpty({ comment, values }) ? found : undefined,
    use: () => {
      if (found === undefined) return
      setComment(found.comment)
      setValues(new Map(found.values))
      setFound(undefined)
    },
    discardOffered: discard,
    end: () => {
      discard()
      setEnded(true)
    },
    flag,
    restoreFlagged: (written) => {
      flag(written)
      setComment(written.comment)
      setValues(written.values)
    },
  }
}

function isEmpty({ comment, values }: Written): boolean {
  return comment.trim() === '' && values.size === 0
}
