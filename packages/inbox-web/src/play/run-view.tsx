// One run of a tool: its duration, the messages from the server, and the result.

import type { PlayRunView } from '@assent/core'
import { Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import { useNow } from '../api/server-time.ts'
import { playText } from '../text/play.ts'
import { duration } from '../text/time.ts'

const words = playText.run

export function RunView({ run, action }: { readonly run: PlayRunView; readonly action: ReactNode }) {
  const { state, steps, startedAtMs } = run
  const now = useNow()
  const endMs = state.kind === 'running' ? Math.max(now, startedAtMs) : state.atMs
  const isFailure = state.kind === 'failed' || (state.kind === 'finished' && state.isError)
  const title = state.kind === 'finished' && state.isError ? words.toolError : words.titles[state.kind]
  return (
    <>
      <header className="run-head">
        <h2>
          {state.kind === 'running' && <Loader size={18} className="run-spinner" aria-hidden="true" />}
          {title}{' '}
          <span className="digits">
            {(state.kind === 'running' ? words.running : words.ended)(duration(endMs - startedAtMs))}
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
            <Block key={at} title={state.texts.length === 1 ? words.text : words.part(at + 1)} text={text} />
          ))}
          {state.structured !== undefined && <Block title={words.structured} text={state.structured} />}
          {state.texts.length === 0 && state.structured === undefined && <p>{words.noContent}</p>}
          <details>
            <summary>{words.full}</summary>
            <Block title={words.json} text={state.json} />
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
      <pre>{text}</pre>
    </figure>
  )
}
