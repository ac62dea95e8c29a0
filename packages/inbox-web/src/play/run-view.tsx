// One run of a tool: its duration, the messages from the server, and the result.

import type { PlayRunView } from '@assent/core'
import type { ReactNode } from 'react'
import { useNow } from '../api/server-time.ts'
import { duration } from '../ui/time.ts'

const titles = { running: 'Running', stopped: 'Stopped', failed: 'Failed', finished: 'Done' } as const

export function RunView({ run, action }: { readonly run: PlayRunView; readonly action: ReactNode }) {
  const { state, steps, startedAtMs } = run
  const now = useNow()
  const endMs = state.kind === 'running' ? Math.max(now, startedAtMs) : state.atMs
  const isFailure = state.kind === 'failed' || (state.kind === 'finished' && state.isError)
  const title = state.kind === 'finished' && state.isError ? 'The tool reported an error' : titles[state.kind]
  return (
    <>
      <header className="run-head">
        <h2>
          {title}{' '}
          <span className="digits">
            {state.kind === 'running' ? 'for' : 'after'} {duration(endMs - startedAtMs)}
          </span>
        </h2>
        {/* For screen readers: announced when it changes, without the running seconds. */}
        <span className="visually-hidden" role="status">
          {title}
        </span>
        {action}
      </header>
      {steps.length > 0 && (
        <ol className="run-steps">
          {steps.map(({ atMs, text }, at) => (
            <li key={at}>
              <span className="digits">{duration(atMs - startedAtMs)}</span> {text}
            </li>
          ))}
        </ol>
      )}
      {state.kind === 'failed' && <p className="problem">{state.problem}</p>}
      {state.kind === 'finished' && (
        <div className="run-result" data-failed={isFailure}>
          {state.texts.map((text, at) => (
            <Block key={at} title={state.texts.length === 1 ? 'Text' : `Part ${at + 1}`} text={text} />
          ))}
          {state.structured !== undefined && <Block title="Structured" text={state.structured} />}
          {state.texts.length === 0 && state.structured === undefined && <p>The tool returned no content.</p>}
          <details>
            <summary>Full result</summary>
            <Block title="JSON" text={state.json} />
          </details>
        </div>
      )}
    </>
  )
}

function Block({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure className="run-block">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable, or its end is out of reach */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
