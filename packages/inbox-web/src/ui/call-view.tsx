// The call during which a server asks, rendered by Assent from what the client sent.

import type { CallView, DrawnValue } from '@assent/core'
import { useId } from 'react'
import { Diff, isDiff } from './diff.tsx'
import { ShownText } from './shown-text.tsx'

/** For a question that is not about the call itself. */
export function AskedIn({ call, server }: { readonly call: CallView; readonly server: string }) {
  const label = useId()
  const { kind, name, arguments: given } = call
  return (
    <section className="asked-in" aria-labelledby={label}>
      <h3 id={label}>
        Asked in {kind === 'tool' ? 'the call' : `the ${kind}`} <code>{name}</code> on <code>{server}</code>
        {given?.length === 0 && kind !== 'resource' && ', without arguments'}
      </h3>
      {given === undefined ? (
        <p className="asked-in-large">Its arguments are too large to show here.</p>
      ) : (
        <Arguments given={given} />
      )}
    </section>
  )
}

/** For a server that did not say during which of its calls it asks. */
export function AskedInOneOf({ calls, server }: { readonly calls: readonly CallView[]; readonly server: string }) {
  const label = useId()
  return (
    <section className="asked-in" aria-labelledby={label}>
      <h3 id={label}>
        Asked in one of these calls on <code>{server}</code>
      </h3>
      <p className="asked-in-note">The server did not say which. Your answer approves none of them by itself.</p>
      <ol className="asked-in-calls">
        {calls.map(({ kind, name, arguments: given, json }, at) => (
          <li key={`${at} ${json}`}>
            {kind === 'tool' ? '' : `${kind} `}
            <code>{name}</code>
            {given?.length === 0 && kind !== 'resource' && ', without arguments'}
            {given === undefined ? (
              <p className="asked-in-large">Its arguments are too large to show here.</p>
            ) : (
              <Arguments given={given} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
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
