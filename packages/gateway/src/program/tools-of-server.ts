// A tool of any server, run through a gateway in this process, with the questions of the server in this terminal.
//
// The gateway handles the server's revision and screens its questions as always. Its inbox is a store in memory, which only this
// terminal answers.

import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { createKeyRing, type JsonObject } from '@assent/core'
import { openInBrowser, openTerminal } from '@assent/sdk/terminal'
import { openSqlite, type Store } from '@assent/store'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { awaitTool } from '../call/route/await-answer.ts'
import { linearPatterns } from '../call/screen/patterns.ts'
import { AskService } from '../inbox/ask-service.ts'
import { ChangeFeed } from '../inbox/changes.ts'
import { playLimits } from '../inbox/limits.ts'
import { PlayClient } from '../inbox/playground/client-2025-11-25.ts'
import { answerOne } from '../inbox/terminal/answer-one.ts'
import { LiveAsks } from '../inbox/terminal/live-asks.ts'
import { safeLines } from '../inbox/terminal/safe-json.ts'
import { sleep } from '../protocol/sleep.ts'
import { ownVersion } from '../protocol/version.ts'
import { within } from '../protocol/within.ts'
import { serveStdio } from './gateway.ts'
import { nameOf, serverOf } from './play.ts'
import type { RunToolSettings } from './run-tool-settings.ts'
import { handleSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'
import { namingText } from './text/gateway.ts'
import { playText, runText } from './text/run.ts'

export function toolOfServer(words: readonly string[], settings: RunToolSettings, terminal: Terminal) {
  return async (given: Readonly<Record<string, unknown>> | undefined): Promise<unknown> => {
    const server = nameOf(words)
    const onError = (error: unknown) =>
      terminal.err(
        `${toned(terminal.isErrColoured, 'yellow', 'error')} ${safeLines(error instanceof Error ? error.message : String(error))}`,
      )
    const keys = createKeyRing([{ id: 'run', secret: randomBytes(32) }])
    const store = await openSqlite(':memory:', { keys, onError, patterns: linearPatterns })
    const [toGateway, fromGateway] = [new PassThrough(), new PassThrough()]
    const client = new PlayClient(fromGateway, toGateway)
    const served = serveStdio(
      {
        servers: { [server]: serverOf(words, settings) },
        store,
        tenant: onlyTenant,
        keys,
        surfaces: ['inbox'],
        askWaitMs: playLimits.askWaitMs,
        patienceMs: playLimits.askWaitMs,
        onError,
        onServerLog: (_, line) => terminal.err(`${server}: ${line}`),
      },
      toGateway,
      fromGateway,
    )
    const ended = new AbortController()
    const signals = handleSignals(undefined)
    void signals.stop.then(() => ended.abort())
    try {
      await client.begin(ownVersion(), 'assent-run')
      const name = await chosenTool(client, settings.tool)
      const params = { name, arguments: (given ?? {}) as JsonObject }
      const calling = client.request('tools/call', params, { signal: ended.signal })
      const answering = answerHere(store, ended.signal, onError)
      const reply = await Promise.race([calling, answering])
      ended.abort()
      await Promise.allSettled([calling, answering])
      if (reply === undefined) throw new Error(runText.stopped)
      if ('error' in reply) throw new Error(reply.error.message)
      return reply.result
    } finally {
      ended.abort()
      signals.remove()
      client.close()
      await within(playLimits.closeMs, served)
      await store.close()
    }
  }
}

async function chosenTool(client: PlayClient, name: string | undefined): Promise<string> {
  const listed = await client.request('tools/list', {})
  if ('error' in listed) throw new Error(playText.unusable(listed.error.message))
  const { tools } = listed.result as { readonly tools?: readonly { readonly name: string }[] }
  const names = (tools ?? []).map((tool) => tool.name).filter((one) => one !== awaitTool)
  // With one server, the gateway leaves the names of its tools as they are.
  const [only, ...others] = name === undefined ? names : names.filter((one) => one === name)
  if (only !== undefined && others.length === 0) return only
  throw new Error(name === undefined ? runText.chooseTool(names) : runText.unknownServerTool(name, names))
}

/** Shows one open ask after the other, until the call has ended. Returns a result if no person can be asked here. */
async function answerHere(
  store: Store,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<{ readonly result: JsonObject } | undefined> {
  const now = () => store.nowMs()
  const naming = { nameOf: () => namingText.you, describe: () => ({ origin: namingText.fromCommandLine }) }
  const service = new AskService({ store, tenant: onlyTenant, naming, now, via: 'terminal' })
  const feed = new ChangeFeed(store, onlyTenant, onError)
  const live = new LiveAsks({ service, feed, person: localPerson, now, onError })
  const terminal = openTerminal({ openLink: openInBrowser, patterns: linearPatterns })
  await live.start(signal)
  while (!signal.aborted) {
    const open = live.list().find(({ state, answers }) => state.kind === 'open' && answers.length > 0)
    if (open === undefined) {
      await nextChange(live, signal)
      continue
    }
    if (!terminal.usable) return { result: noPerson(open.headline) }
    await answerOne(open.id, { service, person: localPerson, terminal, live, now, signal })
    // It may have expired, which no change reports. If the person left it open it is shown again.
    await live.look(open.id)
    await sleep(playLimits.shownAgainMs, signal)
  }
  return undefined
}

function noPerson(title: string): JsonObject {
  return { isError: true, content: [{ type: 'text', text: runText.noTerminal(title) }] }
}

function nextChange(live: LiveAsks, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = live.listen(() => {
      stop()
      resolve()
    })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
