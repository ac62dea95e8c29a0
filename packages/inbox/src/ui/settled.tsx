// How an ask ended, once it has.

import type { AskView, StateView } from '@assent/core'
import { useNow } from '../api/server-time.ts'
import { ago, exactly } from './time.ts'

const marks = { accepted: '✓', declined: '✕', cancelled: '–', expired: '⌛', withdrawn: '↩' } as const

export function Settled({ ask }: { readonly ask: AskView }) {
  const now = useNow()
  const { state, question, asker } = ask
  if (state.kind === 'open') return null
  const isSecret = question.kind === 'url' && question.secret !== undefined
  const isYours = state.kind === 'settled' && state.by.isYou
  return (
    <div className="settled" data-outcome={outcomeOf(state)} role="status">
      <p className="settled-what">
        <span className="outcome-mark" aria-hidden="true">
          {marks[outcomeOf(state)]}
        </span>
        <span>
          {state.what}, <time title={exactly(state.atMs)}>{ago(now - state.atMs)}</time>
          {state.kind === 'settled' && state.comment !== undefined ? `: ${state.comment}` : '.'}
          {isYours && ` ${asker.server} was told.`}
        </span>
      </p>
      {state.kind === 'settled' && state.content.length > 0 && (
        <dl className="arguments">
          {state.content.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {isYours && state.outcome === 'accepted' && question.kind === 'url' && !isSecret && question.link.ok && (
        <a className="open-link" href={question.link.url} target="_blank" rel="noopener noreferrer">
          Open {question.link.host.highlight} in a new tab
        </a>
      )}
    </div>
  )
}

export function outcomeOf(state: Exclude<StateView, { kind: 'open' }>): keyof typeof marks {
  return state.kind === 'settled' ? state.outcome : state.kind
}

/** A form is answered; what has nothing to fill in is approved. */
export function endedInWord({ question }: AskView, state: Exclude<StateView, { kind: 'open' }>): string {
  const isAnswered = question.kind === 'form' && question.fields.length > 0 && question.decision === undefined
  return state.kind === 'settled' && state.outcome === 'accepted' && isAnswered
    ? 'answered'
    : outcomeWords[outcomeOf(state)]
}

export const outcomeWords = {
  accepted: 'approved',
  declined: 'declined',
  cancelled: 'dismissed',
  expired: 'expired',
  withdrawn: 'withdrawn',
  unseen: 'never seen',
  undeliverable: 'undeliverable',
} as const
