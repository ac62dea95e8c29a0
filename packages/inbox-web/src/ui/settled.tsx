// The outcome of an ask that is no longer open, at the top of its card.

import type { AskView, StateView } from '@assent/core'
import { useNow } from '../api/server-time.ts'
import { cardText } from '../text/card.ts'
import { ago, exactly } from '../text/time.ts'

export const outcomeMarks = { yes: '✓', no: '✕', neutral: '•', dismissed: '–', expired: '⌛', withdrawn: '↩' } as const

export function Settled({ ask }: { readonly ask: AskView }) {
  const now = useNow()
  const { state, question } = ask
  if (state.kind === 'open') return null
  const isSecret = question.kind === 'url' && question.secret !== undefined
  const isYours = state.kind === 'settled' && state.by.isYou
  const [before, time, after] = cardText.endedAgo(state.what, ago(now - state.atMs))
  return (
    <div className="settled" data-outcome={outcomeLook(state)} role="status" tabIndex={-1}>
      <p className="settled-what">
        <span className="outcome-mark" aria-hidden="true">
          {outcomeMarks[outcomeLook(state)]}
        </span>
        <span>
          {before}
          <time title={exactly(state.atMs)}>{time}</time>
          {after}
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
      {state.kind === 'settled' && state.comment !== undefined && (
        <div className="settled-comment">
          <p>{isSent(ask, state) ? cardText.comment.wasSent : cardText.comment.wasKept}</p>
          <p>{state.comment}</p>
        </div>
      )}
      {isYours && state.outcome === 'accepted' && question.kind === 'url' && !isSecret && question.link.ok && (
        <a className="open-link" href={question.link.url} target="_blank" rel="noopener noreferrer">
          {cardText.link.open(question.link.host.highlight)}
        </a>
      )}
    </div>
  )
}

/** An answer that arrived too late was not delivered, and neither was its comment. */
function isSent({ commentReaches }: AskView, { isUndelivered }: StateView & { kind: 'settled' }): boolean {
  return commentReaches === 'asker' && isUndelivered !== true
}

/** Follows the person's answer, not the protocol's action: a form answered with No is an `accept`, but gets no check mark. */
export function outcomeLook(state: Exclude<StateView, { kind: 'open' }>): keyof typeof outcomeMarks {
  if (state.kind !== 'settled') return state.kind
  // An undelivered answer had no effect.
  if (state.isUndelivered === true) return 'expired'
  return state.answered.name === 'dismissed' ? 'dismissed' : state.answered.verdict
}

/** The person's answer, or why there is none. */
export function outcomeText(state: Exclude<StateView, { kind: 'open' }>, askedAgain?: string): string {
  const { outcomes } = cardText
  if (state.kind === 'expired' && askedAgain !== undefined) return askedAgain
  if (state.kind === 'settled') return state.isUndelivered === true ? outcomes.undelivered : state.answered.text
  const { kind } = state
  return kind === 'withdrawn' && (state.reason === 'unseen' || state.reason === 'undeliverable')
    ? outcomes[state.reason]
    : outcomes[kind]
}
