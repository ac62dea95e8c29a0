// The playground: the tools of one server, their arguments as a form, and the result of each run.

import type { PlayBody, PlayToolView } from '@assent/core'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { problemOf } from '../api/client.ts'
import { useIsLost } from '../api/connection.ts'
import { usePlayground, useRun, useStartRun, useStopRun } from '../api/play.ts'
import { ArgumentsForm } from '../play/arguments-form.tsx'
import { Questions } from '../play/questions.tsx'
import { RunView } from '../play/run-view.tsx'
import { cardText } from '../text/card.ts'
import { playText } from '../text/play.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { navigate } from './route.ts'

const words = playText.tools

export function PlayPage({ id }: { readonly id?: string | undefined }) {
  const found = usePlayground()
  if (!isLoaded(found)) return <NotLoaded query={found} />
  const { server, target, tools } = found.data
  const tool = tools.find(({ name }) => name === id) ?? (tools.length === 1 ? tools[0] : undefined)
  return (
    <div className="two-pane" data-showing={tool === undefined ? 'list' : 'card'}>
      <h1 className="visually-hidden">{words.page}</h1>
      <nav className="list" aria-label={words.heading}>
        <h2 className="list-title">
          {words.of(server)} <span className="digits">{tools.length}</span>
        </h2>
        <p className="play-target">
          <code>{target}</code>
        </p>
        <ul>
          {tools.map((row) => (
            <ToolRow key={row.name} tool={row} isCurrent={row === tool} />
          ))}
        </ul>
        {tools.length === 0 && <p className="list-empty">{words.none}</p>}
      </nav>
      <div className="detail">
        {tool === undefined ? (
          <p className="detail-empty">{words.select}</p>
        ) : (
          <ToolDetail key={tool.name} tool={tool} server={server} />
        )}
      </div>
    </div>
  )
}

function ToolRow({ tool, isCurrent }: { readonly tool: PlayToolView; readonly isCurrent: boolean }) {
  const path = `/play/${encodeURIComponent(tool.name)}`
  return (
    <li>
      <a
        className="row"
        href={path}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          navigate(path)
        }}
      >
        <span className="row-what">{tool.label}</span>
        {tool.description !== undefined && <span className="row-who play-about">{tool.description}</span>}
      </a>
    </li>
  )
}

function ToolDetail({ tool, server }: { readonly tool: PlayToolView; readonly server: string }) {
  const [runId, setRunId] = useState<string>()
  const start = useStartRun()
  const run = useRun(runId)
  const isRunning = run.data?.state.kind === 'running'
  const onRun = (given: PlayBody['arguments']) =>
    start.mutate({ tool: tool.name, arguments: given }, { onSuccess: ({ id }) => setRunId(id) })
  return (
    <>
      <a
        className="back"
        href="/play"
        onClick={(event) => {
          event.preventDefault()
          navigate('/play')
        }}
      >
        {words.back}
      </a>
      <article className="card" aria-label={tool.label}>
        <h2 className="card-title">{tool.label}</h2>
        {tool.description !== undefined && (
          <section className="claim" aria-label={cardText.claim.says(server)}>
            <h3>
              {cardText.claim.says(server)} <span>{cardText.claim.unchecked}</span>
            </h3>
            <p className="claim-text">{tool.description}</p>
          </section>
        )}
        <ArgumentsForm tool={tool} isRunning={isRunning || start.isPending} onRun={onRun} />
        {start.isError && (
          <p className="problem" role="alert">
            {problemOf(start.error).message}
          </p>
        )}
      </article>
      {runId !== undefined && run.data !== undefined && (
        <section className="run" aria-label={playText.run.heading}>
          <RunView run={run.data} action={isRunning ? <StopButton id={runId} /> : null} />
          {isRunning && <Questions />}
        </section>
      )}
    </>
  )
}

function StopButton({ id }: { readonly id: string }) {
  const stop = useStopRun(id)
  const isLost = useIsLost()
  return (
    <Button variant="default" loading={stop.isPending} disabled={isLost} onClick={() => stop.mutate()}>
      {playText.run.stop}
    </Button>
  )
}
