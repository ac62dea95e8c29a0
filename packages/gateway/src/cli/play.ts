// The playground as a program: a gateway of its own around one server, an inbox on loopback, and a page to run tools from.
//
// The store lives in a folder that goes with the program, so that what is tried here is never among real asks.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import type { Beside } from '../door/door.ts'
import { listenAt } from '../door/listen.ts'
import { plainServer } from '../door/plain-server.ts'
import { serveStdio } from '../gateway.ts'
import { inboxApp } from '../inbox/inbox-app.ts'
import { respondWith } from '../inbox/serve-node.ts'
import { WebFiles } from '../inbox/web-files.ts'
import { playLimits } from '../limits.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { PlayClient } from '../play/client-2025-11-25.ts'
import { PlayApi } from '../play/play-api.ts'
import { linearPatterns } from '../relay/patterns.ts'
import type { ServerConfig } from '../upstream/open-upstream.ts'
import type { PlaySettings } from './play-command.ts'
import { hearSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'
import { ownVersion } from './version.ts'

const web = fileURLToPath(new URL('../../web/', import.meta.url))
const loopback = '127.0.0.1'

export async function play(words: readonly string[], settings: PlaySettings, terminal: Terminal): Promise<void> {
  const config = serverOf(words, settings)
  const server = nameOf(words)
  const files = await WebFiles.read(web)
  const folder = await mkdtemp(join(tmpdir(), 'assent-play-'))
  const onTrouble = (error: unknown) =>
    terminal.err(
      `${toned(terminal.isErrColoured, 'yellow', 'trouble')} ${error instanceof Error ? error.message : error}`,
    )
  const keys = createKeyRing([{ id: 'play', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys, onTrouble, patterns: linearPatterns })
  const [toGateway, fromGateway] = [new PassThrough(), new PassThrough()]
  const client = new PlayClient(fromGateway, toGateway)
  const signals = hearSignals(undefined)
  const served = serveStdio(
    {
      servers: { [server]: config },
      store,
      tenant: onlyTenant,
      keys,
      surfaces: ['inbox'],
      askWaitMs: playLimits.askWaitMs,
      patienceMs: playLimits.askWaitMs,
      onTrouble,
      onServerLog: (_, line) => terminal.err(`${server}: ${line}`),
    },
    toGateway,
    fromGateway,
  )
  try {
    await client.begin(ownVersion())
    // A page for a server that is not there would help nobody.
    const first = await client.request('tools/list', {})
    if ('error' in first) throw new Error(`The server cannot be used. ${first.error.message}`)
    const close = await openPage({ store, client, server, words, files, settings, terminal, onTrouble })
    await signals.stop
    close()
  } finally {
    signals.forget()
    client.close()
    await Promise.race([served, new Promise((resolve) => setTimeout(resolve, playLimits.closeMs).unref())])
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Opening {
  readonly store: Awaited<ReturnType<typeof openSqlite>>
  readonly client: PlayClient
  readonly server: string
  readonly words: readonly string[]
  readonly files: WebFiles
  readonly settings: PlaySettings
  readonly terminal: Terminal
  readonly onTrouble: (error: unknown) => void
}

async function openPage(opening: Opening): Promise<() => void> {
  const { store, client, server, words, files, settings, terminal, onTrouble } = opening
  let respond: Beside | undefined
  const http = plainServer(() => respond, onTrouble)
  const { origin } = await listenAt(http, { host: loopback, port: portOf(settings.port) })
  const app = inboxApp({
    store,
    tenant: onlyTenant,
    baseUrl: origin,
    web: files,
    nameOf: (principal) => (principal === localPerson.principal ? 'You' : principal),
    describe: () => ({ origin: 'from your command line' }),
    play: new PlayApi({ client, server, target: words.join(' ') }),
    onTrouble,
  })
  respond = (request, response) => respondWith(app.fetch, request, response)
  terminal.out(`Open ${await app.signInLink(localPerson)} (the link works once). Ctrl+C ends it.`)
  return () => {
    http.close()
    http.closeAllConnections()
  }
}

function serverOf([target = '', ...args]: readonly string[], { env }: PlaySettings): ServerConfig {
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) throw new Error(`${target} is no address.`)
    if (args.length > 0) throw new Error('A server at an address takes no arguments.')
    return { url: target }
  }
  const variables = env.map((one) => {
    const at = one.indexOf('=')
    if (at < 1) throw new Error(`--env takes NAME=value, not ${one}.`)
    return [one.slice(0, at), one.slice(at + 1)] as const
  })
  return { command: target, args, env: Object.fromEntries(variables) }
}

/** What it is called on cards: made from the last word that is no option. */
function nameOf(words: readonly string[]): string {
  const [target = ''] = words
  const isAddress = /^https?:\/\//i.test(target) && URL.canParse(target)
  const last = isAddress ? new URL(target).hostname : (words.findLast((word) => !word.startsWith('-')) ?? target)
  const name = basename(last)
    .replace(/\.[cm]?[jt]s$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32)
  return name === '' || name === 'assent' ? 'server' : name
}

function portOf(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${text} is no port.`)
  return port
}
