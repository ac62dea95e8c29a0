// The playground: a separate gateway for one server, an inbox on loopback, and a page to run tools from.
//
// The listener is opened first, because a server that may ask for secrets gets its address at its start. The page is
// opened when the server has listed its tools. The store is in a temporary folder that is deleted at exit, so that these asks never mix with real ones.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { linearPatterns } from '../call/screen/patterns.ts'
import { listenAt } from '../http/listen.ts'
import { plainServer } from '../http/plain-server.ts'
import type { Fallback } from '../http/server.ts'
import { type InboxApp, inboxApp } from '../inbox/inbox-app.ts'
import { playLimits } from '../inbox/limits.ts'
import { PlayClient } from '../inbox/playground/client-2025-11-25.ts'
import { PlayApi } from '../inbox/playground/play-api.ts'
import { SecretPages } from '../inbox/secrets/secret-pages.ts'
import { respondWith } from '../inbox/serve-node.ts'
import { safeLines } from '../inbox/terminal/safe-json.ts'
import { WebFiles } from '../inbox/web-files.ts'
import { ownVersion } from '../protocol/version.ts'
import { within } from '../protocol/within.ts'
import type { ServerConfig } from '../servers/open-upstream.ts'
import { serveStdio } from './gateway.ts'
import type { PlaySettings } from './play-settings.ts'
import { handleSignals } from './signals.ts'
import { standaloneLimits } from './standalone/limits.ts'
import { openSignedIn } from './standalone/open-signed-in.ts'
import type { RedirectFile } from './standalone/redirect-file.ts'
import { type Terminal, toned } from './terminal.ts'
import { namingText } from './text/gateway.ts'
import { playText } from './text/run.ts'

const web = fileURLToPath(new URL('../../web/', import.meta.url))
const loopback = '127.0.0.1'

export async function play(words: readonly string[], settings: PlaySettings, terminal: Terminal): Promise<void> {
  const config = serverOf(words, settings)
  const server = nameOf(words)
  const files = await WebFiles.read(web)
  const folder = await mkdtemp(join(tmpdir(), 'assent-play-'))
  const onError = (error: unknown) =>
    terminal.err(
      `${toned(terminal.isErrColoured, 'yellow', 'error')} ${safeLines(error instanceof Error ? error.message : String(error))}`,
    )
  const keys = createKeyRing([{ id: 'play', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys, onError, patterns: linearPatterns })
  const [toGateway, fromGateway] = [new PassThrough(), new PassThrough()]
  const client = new PlayClient(fromGateway, toGateway)
  const secretPages = new SecretPages({ store, tenant: onlyTenant, keys })
  const signals = handleSignals(undefined)
  let page: Page | undefined
  let served: Promise<void> | undefined
  try {
    page = await listen({ store, keys, secretPages, client, server, words, files, settings, onError })
    served = serveStdio(
      {
        servers: { [server]: config },
        store,
        tenant: onlyTenant,
        keys,
        secretPages,
        surfaces: ['inbox'],
        askWaitMs: playLimits.askWaitMs,
        patienceMs: playLimits.askWaitMs,
        onError,
        onServerLog: (_, line) => terminal.err(`${server}: ${line}`),
      },
      toGateway,
      fromGateway,
    )
    await client.begin(ownVersion())
    // Fail before opening a page if the server does not work.
    const first = await client.request('tools/list', {})
    if ('error' in first) throw new Error(playText.unusable(first.error.message))
    const file = await openInBrowser((await page.signInLink()) ?? '', terminal)
    await signals.stop
    file?.remove()
  } finally {
    signals.remove()
    page?.close()
    client.close()
    await within(playLimits.closeMs, served ?? Promise.resolve())
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Opening {
  readonly store: Awaited<ReturnType<typeof openSqlite>>
  readonly keys: KeyRing
  readonly secretPages: SecretPages
  readonly client: PlayClient
  readonly server: string
  readonly words: readonly string[]
  readonly files: WebFiles
  readonly settings: PlaySettings
  readonly onError: (error: unknown) => void
}

interface Page {
  signInLink(): Promise<string | undefined>
  close(): void
}

async function listen(opening: Opening): Promise<Page> {
  const { store, keys, secretPages, client, server, words, files, settings, onError } = opening
  let respond: Fallback | undefined
  const http = plainServer(() => respond, onError)
  const { origin } = await listenAt(http, { host: loopback, port: portOf(settings.port) })
  secretPages.openAt(origin, origin)
  const play = new PlayApi({ client, server, target: words.join(' '), openPages: () => app.openPages })
  const app: InboxApp = inboxApp({
    store,
    tenant: onlyTenant,
    baseUrl: origin,
    keys,
    web: files,
    nameOf: (principal) => (principal === localPerson.principal ? namingText.you : principal),
    describe: () => ({ origin: namingText.fromCommandLine }),
    secretPages,
    play,
    onError,
  })
  respond = (request, response) => respondWith(app.fetch, request, response)
  return {
    signInLink: () => app.signInLink(localPerson),
    close: () => {
      play.close()
      http.close()
      http.closeAllConnections()
    },
  }
}

/** Prints the link where there is no browser to open. */
async function openInBrowser(link: string, { variables, out }: Terminal): Promise<RedirectFile | undefined> {
  try {
    const file = await openSignedIn(link, variables)
    out(playText.opened)
    setTimeout(file.remove, standaloneLimits.signInMs).unref()
    return file
  } catch {
    out(playText.openLink(link))
    return undefined
  }
}

export function serverOf([target = '', ...args]: readonly string[], { env }: Pick<PlaySettings, 'env'>): ServerConfig {
  if (/^https?:\/\//i.test(target)) {
    if (!URL.canParse(target)) throw new Error(playText.invalidAddress(target))
    if (args.length > 0) throw new Error(playText.addressWithArguments)
    return { url: target }
  }
  const variables = env.map((one) => {
    const at = one.indexOf('=')
    if (at < 1) throw new Error(playText.invalidVariable(one))
    return [one.slice(0, at), one.slice(at + 1)] as const
  })
  // Only this server is connected, and the person chose it: it may open secret pages.
  return { command: target, args, env: Object.fromEntries(variables), secrets: {} }
}

/** The display name of the server: from the host of an address, else from the last argument that is not an option. */
export function nameOf(words: readonly string[]): string {
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
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(playText.invalidPort(text))
  return port
}
