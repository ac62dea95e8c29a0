// The call during which a server asks, rendered by Assent from what the client sent.

import type { CallView, DrawnValue } from '@assent/core'
import { useId } from 'react'
import { cardText } from '../text/card.ts'
import { Diff, isDiff } from './diff.tsx'
import { Parts } from './parts.tsx'
import { ShownText } from './shown-text.tsx'

/** For a question that is not about the call itself. */
export function AskedIn({ call, server }: { readonly call: CallView; readonly server: string }) {
  const label = useId()
  return (
    <section className="asked-in" aria-labelledby={label}>
      <h3 id={label}>
        <Parts of={cardText.call.askedIn(call, server)} />
      </h3>
      <CallArguments call={call} />
    </section>
  )
}

/** For a server that did not say during which of its calls it asks. */
export function AskedInOneOf({ calls, server }: { readonly calls: readonly CallView[]; readonly server: string }) {
  const label = useId()
  return (
    <section className="asked-in" aria-labelledby={label}>
      <h3 id={label}>
        <Parts of={cardText.call.askedInOneOf(calls.length, server)} />
      </h3>
      <p className="asked-in-note">{cardText.call.oneOfNote(server)}</p>
      <ol className="asked-in-calls">
        {calls.map((call, at) => (
          <li key={`${at} ${call.json}`}>
            <Parts of={cardText.call.one(call)} />
            <CallArguments call={call} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function CallArguments({ call: { arguments: given } }: { readonly call: CallView }) {
  if (given === undefined) return <p className="asked-in-large">{cardText.action.tooLarge}</p>
  return <Arguments given={given} />
}

export function Arguments({ given }: { readonly given: readonly DrawnValue[] }) {
  if (given.length === 0) return null
  return (
    <dl className="arguments">
      {given.map(({ name, value, shape }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ShownText text={value}>{(shown) => <Value text={shown} shape={shape} />}</ShownText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ text, shape }: { readonly text: string; readonly shape: DrawnValue['shape'] }) {
  if (isDiff('', text)) return <Diff text={text} />
  return shape === 'json' ? <pre>{text}</pre> : text
}

/** Marks the end of a part that must have been in view; see card-seen.ts. */
export function EndMarker() {
  return <span className="end" data-end="" aria-hidden="true" />
}
