// One row of the list: server, headline, age, and time left or outcome.

import type { AskView } from '@assent/core'
import { useNow } from '../api/server-time.ts'
import { urgencyOf } from './deadline.tsx'
import { outcomeLook, outcomeText } from './settled.tsx'
import { agoShort, duration, leftShort } from './time.ts'
import { whoAsks } from './who-asks.ts'

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
  return (
    <li className={onSelect === undefined ? undefined : 'row-selectable'}>
      {onSelect !== undefined && (
        <label className="row-select">
          <input type="checkbox" aria-label={`Select: ${ask.headline}`} checked={isSelected} onChange={onSelect} />
        </label>
      )}
      <a
        className="row"
        href={path}
        aria-current={isCurrent ? 'true' : undefined}
        data-state={state.kind}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen()
        }}
      >
        <span className="row-who">{whoAsks(ask)}</span>
        <span className="row-what">{ask.headline}</span>
        <RowTimes ask={ask} />
      </a>
    </li>
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
          {leftShort(leftMs)}
        </span>
      </span>
    )
  }
  return (
    <span className="row-times">
      <span data-outcome={outcomeLook(state)}>
        <strong>{outcomeText(state, ask.askedAgain)}</strong>
        {state.kind === 'settled' && ` by ${state.by.isYou ? 'you' : state.by.name}`} after{' '}
        {duration(state.atMs - raisedAtMs)}
      </span>
      <span>{agoShort(now - state.atMs)}</span>
    </span>
  )
}
