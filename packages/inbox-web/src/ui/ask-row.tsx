// One row of the list: who asks and for whom, headline, risk and main argument, progress, age, and time left or outcome.

import type { AskView } from '@assent/core'
import { useEffect, useRef } from 'react'
import { useNow } from '../api/server-time.ts'
import { listText } from '../text/list.ts'
import { agoShort, endedAt, leftText } from '../text/time.ts'
import { urgencyOf } from './deadline.tsx'
import { RowFacts } from './row-facts.tsx'
import { outcomeLook, outcomeMarks, outcomeText } from './settled.tsx'
import { callerText, whoAsks } from './who-asks.ts'

const words = listText.row

interface Props {
  readonly ask: AskView
  readonly path: string
  readonly isCurrent: boolean
  readonly onOpen: () => void
  /** While several asks can be selected. */
  readonly isSelected?: boolean
  readonly onSelect?: () => void
}

export function AskRow({ ask, path, isCurrent, onOpen, isSelected = false, onSelect }: Props) {
  const { state } = ask
  const row = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li className={onSelect === undefined ? undefined : 'row-selectable'}>
      {onSelect !== undefined && (
        <label className="row-select">
          <input type="checkbox" aria-label={words.select(ask.headline)} checked={isSelected} onChange={onSelect} />
        </label>
      )}
      <a
        className="row"
        ref={row}
        href={path}
        aria-current={isCurrent ? 'true' : undefined}
        data-state={state.kind}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen()
        }}
      >
        <span className="row-who">{askersOf(ask)}</span>
        <span className="row-what">{ask.headline}</span>
        <RowFacts ask={ask} />
        <RowContext ask={ask} />
        <RowTimes ask={ask} />
      </a>
    </li>
  )
}

/** The server and the program that called it, or the agent itself. */
function askersOf(ask: AskView): string {
  const program = ask.asker.isAgent === true ? '' : callerText(ask.caller ?? {})
  return program === '' ? whoAsks(ask) : words.calledBy(whoAsks(ask), program)
}

/** What tells the questions of a team apart: the person, and how many have approved. */
function RowContext({ ask: { onBehalfOf, quorum, state } }: { readonly ask: AskView }) {
  const progress =
    quorum === undefined || state.kind !== 'open'
      ? undefined
      : words.approvals(quorum.approvals, quorum.approvalsNeeded)
  if (onBehalfOf.isYou && progress === undefined) return null
  return (
    <span className="row-context">
      <span>{onBehalfOf.isYou ? words.yourCall : words.forPerson(onBehalfOf.name)}</span>
      {progress !== undefined && <strong>{progress}</strong>}
    </span>
  )
}

function RowTimes({ ask }: { readonly ask: AskView }) {
  const { state, raisedAtMs, decideByMs } = ask
  const now = useNow()
  if (state.kind === 'open') {
    const leftMs = decideByMs - now
    return (
      <span className="row-times">
        <span>{agoShort(now - raisedAtMs)}</span>
        <span className="digits" data-urgency={urgencyOf(leftMs)}>
          {leftText(leftMs)}
        </span>
      </span>
    )
  }
  const look = outcomeLook(state)
  return (
    <span className="row-times">
      <span data-outcome={look}>
        <strong>
          <span aria-hidden="true">{outcomeMarks[look]} </span>
          {outcomeText(state, ask.askedAgain)}
        </strong>
        {state.kind === 'settled' && ` ${words.by(state.by.isYou ? words.you : state.by.name)}`}
      </span>
      <span>{endedAt(state.atMs, now)}</span>
    </span>
  )
}
