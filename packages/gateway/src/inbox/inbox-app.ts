// The inbox as one function from Request to Response: its API under /api, and the web app on all other paths.
//
// It receives a store, a tenant and names, and does not depend on servers, calls or the relay. `SignIn` identifies the
// person; routes that are registered before the `/api/*` middleware need no session.

import { randomBytes } from 'node:crypto'
import {
  type AgentsView,
  type Ask,
  compact,
  type DisplayNames,
  type KeyRing,
  type MeView,
  oneLine,
  type Person,
  type PresenceSetting,
} from '@assent/core'
import type { Store } from '@assent/store'
import { type Context, Hono } from 'hono'
import { AsksApi } from './asks-api.ts'
import { readJsonBody } from './body.ts'
import { changeStream, streamHeaders } from './change-stream.ts'
import { ChangeFeed, type Follower } from './changes.ts'
import { Cookie } from './cookie.ts'
import { addHeaders, requestProblem } from './guard.ts'
import { inboxLimits } from './limits.ts'
import { challengePattern, listenerPath, proofsForPrograms } from './listener-proof.ts'
import { Login } from './login.ts'
import type { LoginSettings } from './login-settings.ts'
import { NameBook } from './name-book.ts'
import { OpenStreams } from './open-streams.ts'
import { OpenWindows } from './open-windows.ts'
import { openApi } from './openapi.ts'
import { Challenges, relyingPartyOf } from './passkeys/challenges.ts'
import { PasskeysApi } from './passkeys/passkeys-api.ts'
import { PresenceService } from './passkeys/presence-service.ts'
import type { PlayApi } from './playground/play-api.ts'
import { notFound, problem, problemOf } from './problem.ts'
import type { SecretPages } from './secrets/secret-pages.ts'
import { isServerRequest, serverApi } from './secrets/server-api.ts'
import type { Fetch } from './serve-node.ts'
import { isWorkerScript, removingWorker } from './service-worker.ts'
import { linkWith, SignIn } from './sign-in.ts'
import { addSignInRoutes, type OpenTab } from './sign-in-routes.ts'
import { requestRefusals } from './text/requests.ts'
import { ByKey, byCookie } from './visitors.ts'
import type { WebFiles } from './web-files.ts'

export interface InboxOptions {
  readonly store: Store
  readonly tenant: string
  /** The public address: `http://127.0.0.1:7420`, `https://assent.example.com`. */
  readonly baseUrl: string
  /** People sign in with their account at this issuer; without it, by links. */
  readonly login?: LoginSettings
  /** How long a session lasts. Default: three days by link, half a day by account. */
  readonly sessionMs?: number
  /** The built web app; without it, only the API is served. */
  readonly web?: WebFiles
  /** A person's name if the issuer did not send one. Default: their principal. */
  readonly nameOf?: (principal: string) => string
  /** The operator's description of a server and its tool. */
  readonly describe?: (asker: Ask['asker']) => ReturnType<DisplayNames['describe']>
  /** How long a yes to something destructive can be undone. Default: five seconds. */
  readonly undoMs?: () => number
  /** Which decisions need a passkey; none by default. */
  readonly presence?: () => PresenceSetting
  /** Seals the challenges that browsers carry. */
  readonly keys: KeyRing
  /** Pages for secrets; their API for servers is served here too. */
  readonly secretPages?: SecretPages
  /** The playground, if a server was given for it. */
  readonly play?: PlayApi
  /** Opens a signed-in page in the browser of the local person. */
  readonly openTab?: OpenTab
  /** For the inbox of one person on their machine: how many agents this process itself serves. */
  readonly ownAgents?: number
  /** Keys of this installation, with which the inbox proves its identity to other processes that have them. */
  readonly listenerKeys?: readonly Uint8Array[]
  /** The clock for countdowns on pages; the store has its own. */
  readonly now?: () => number
  readonly onError?: (error: unknown) => void
}

export interface InboxApp {
  readonly fetch: Fetch
  /** Every route, for the test that compares them with the OpenAPI document. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /**
   * A link that signs this person in, once and for some minutes, and then shows the page `to`. Undefined while too many are
   * unused.
   */
  signInLink(person: Person, to?: string): Promise<string | undefined>
  /** Pages that are open now. */
  readonly openPages: number
  /** Follows the changes to the asks of this person, like an open page. */
  follow(person: Person, follower: Follower, signal: AbortSignal): Promise<void>
  /** Before this process stops: ends the change streams, so that pages reconnect to another replica. */
  endStreams(): void
}

type Variables = { person: Person; name: string | undefined; token: string; begunAtMs: number }

export function inboxApp(options: InboxOptions): InboxApp {
  const { store, tenant, web, play, ownAgents, listenerKeys = [] } = options
  const { now = () => store.nowMs(), onError = () => undefined } = options
  const base = new URL(options.baseUrl)
  const book = new NameBook({ store, tenant, otherwise: options.nameOf ?? ((principal) => principal) })
  const naming: DisplayNames = {
    nameOf: book.nameOf,
    describe: options.describe ?? (() => ({})),
    ...compact({ undoMs: options.undoMs, presence: options.presence }),
  }
  const login = options.login === undefined ? undefined : new Login(options.login, base, now, onError)
  const { sessionMs = login === undefined ? inboxLimits.sessionMs : inboxLimits.accountSessionMs } = options
  const signIn = new SignIn({ store, tenant, sessionMs, issuer: options.login?.identity.issuer })
  const cookie = Cookie.ofSession(base, sessionMs)
  // Over https, and with accounts, the session is in a cookie; see visitors.ts.
  const instance = login === undefined && base.protocol === 'http:' ? randomBytes(16).toString('base64url') : undefined
  const visitors = instance === undefined ? byCookie(signIn, cookie) : new ByKey(signIn, base)
  const party = relyingPartyOf(base)
  const challenges = new Challenges(options.keys, () => store.nowMs())
  const presence = new PresenceService({ store, tenant, party, challenges })
  const asks = new AsksApi({ store, tenant, naming, learn: book.learn, now, presence })
  const passkeys = new PasskeysApi({
    ...{ store, tenant, party, challenges, presence: options.presence ?? (() => 'none') },
    hasAccounts: login !== undefined,
  })
  const feed = new ChangeFeed(store, tenant, onError)
  const streams = new OpenStreams((tokens) => store.signIns.validOf(tenant, tokens), onError)
  const windows = new OpenWindows({
    keys: listenerKeys,
    instance: instance ?? '',
    goneAfterMs: inboxLimits.windowGoneMs,
  })
  const { secretPages: pages } = options
  const forServers = pages === undefined ? notFound : serverApi({ store, tenant, pages, onError })
  // Over plain http no page of ours registers a service worker.
  const isForeignWorker = (request: Request) => base.protocol === 'http:' && isWorkerScript(request)
  const app = new Hono<{ Variables: Variables }>()

  app.use(async (context, next) => {
    const refusal = requestProblem(context.req.raw, base)
    if (refusal !== undefined) context.res = problem('refused', refusal)
    else if (isForeignWorker(context.req.raw)) context.res = removingWorker()
    else await next()
    addHeaders(context.res.headers, base)
  })
  app.onError((error) => {
    const refusal = problemOf(error)
    if (refusal === undefined) onError(error)
    return refusal ?? problem('unavailable', requestRefusals.internal)
  })
  app.notFound((context) => webPage(context, web))

  addSignInRoutes(app, { base, signIn, login, session: cookie, listener: instance, openTab: options.openTab })
  // Public without sign-in: it describes the API and contains no data.
  app.get('/api/openapi.json', () => Response.json(openApi))
  app.get('/api/nonce', ({ req }) => visitors.nonce(req.raw))
  app.get(listenerPath, ({ req }) => {
    const search = searchOf(req.raw)
    const challenge = search.get('challenge') ?? ''
    if (instance === undefined || listenerKeys.length === 0 || !challengePattern.test(challenge)) return notFound()
    windows.note(search.get('window'))
    return Response.json(proofsForPrograms(listenerKeys, challenge, { instance, origin: base.origin }))
  })

  app.use('/api/sign-out', async (context, next) => {
    await next()
    // Also if the session could not be read or ended: this browser must not use it any more.
    if (context.req.method === 'POST') context.res.headers.set('set-cookie', cookie.clear())
  })
  app.use('/api/*', async (context, next) => {
    const visitor = await visitors.identify(context.req.raw)
    if (!visitor.ok) return visitor.response
    const { token, session, request } = visitor
    context.req.raw = request
    context.set('token', token)
    context.set('person', session.person)
    context.set('name', session.name)
    context.set('begunAtMs', session.begunAtMs)
    return next()
  })
  const visitorOf = (get: Context<{ Variables: Variables }>['get']) => {
    const person = get('person')
    return { person, name: get('name') ?? naming.nameOf(person.principal), begunAtMs: get('begunAtMs') }
  }
  app.post('/api/sign-out', async ({ get }) => {
    await signIn.end(get('token'))
    return new Response(null, { status: 204 })
  })
  app.post('/api/sign-in/skip', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    await signIn.discard(String(read.body.code), instance)
    return new Response(null, { status: 204 })
  })
  app.get('/api/me', ({ get }) => {
    const { person, name } = visitorOf(get)
    const withPlayground = play === undefined ? {} : { hasPlayground: true }
    const withAgents = ownAgents === undefined ? {} : { knowsAgents: true }
    const { principal } = person
    const me: MeView = { principal, name: oneLine(name, 'web'), ...withPlayground, ...withAgents, nowMs: now() }
    return Response.json(me)
  })
  app.get('/api/agents', () => {
    if (ownAgents === undefined) return notFound()
    const view: AgentsView = { running: ownAgents + windows.count }
    return Response.json(view)
  })
  app.get('/api/asks', ({ get, req }) => asks.list(get('person'), 'open', searchOf(req.raw)))
  app.get('/api/asks/:id', ({ get, req }) => asks.read(get('person'), req.param('id')))
  app.get('/api/asks/:id/proof', ({ get, req }) => asks.proof(get('person'), req.param('id'), searchOf(req.raw)))
  app.post('/api/asks/:id/answer', ({ get, req }) =>
    asks.answer(get('person'), req.param('id'), req.raw, get('begunAtMs')),
  )
  app.post('/api/asks/:id/presence', ({ get, req }) =>
    asks.startPresence(get('person'), req.param('id'), req.raw, get('begunAtMs')),
  )
  app.get('/api/passkeys', ({ get }) => passkeys.list(visitorOf(get)))
  app.post('/api/passkeys', ({ get, req }) => passkeys.add(visitorOf(get), req.raw))
  app.post('/api/passkeys/start', ({ get }) => passkeys.startAdding(visitorOf(get)))
  app.post('/api/passkeys/authorise', ({ get, req }) => passkeys.authorise(visitorOf(get), req.raw))
  app.post('/api/passkeys/:id/remove/start', ({ get, req }) => passkeys.startRemoving(visitorOf(get), req.param('id')))
  app.post('/api/passkeys/:id/remove', ({ get, req }) => passkeys.remove(visitorOf(get), req.param('id'), req.raw))
  app.get('/api/secrets/:page', ({ get, req }) => asks.readSecret(get('person'), req.param('page')))
  app.post('/api/secrets/:page', ({ get, req }) => asks.handOver(get('person'), req.param('page'), req.raw))
  app.get('/api/history', ({ get, req }) => asks.list(get('person'), 'ended', searchOf(req.raw)))
  app.get('/api/statistics', ({ get, req }) => asks.statistics(get('person'), searchOf(req.raw)))
  app.get('/api/changes', ({ get, req }) => {
    // Hono answers HEAD with this handler too, and would drop the body without cancelling it: the stream would stay open.
    if (req.method === 'HEAD') return new Response(null, { headers: streamHeaders })
    const [person, token] = [get('person'), get('token')]
    if (feed.following >= inboxLimits.streams || feed.countOf(person) >= inboxLimits.streamsPerPerson) {
      return problem('too-many', requestRefusals.tooManyPages)
    }
    return changeStream(feed, person, streams, token, onError)
  })
  app.get('/api/play', () => play?.describe() ?? notFound())
  app.post('/api/play/runs', ({ req }) => play?.start(req.raw) ?? notFound())
  app.get('/api/play/runs/:id', ({ req }) => play?.read(req.param('id')) ?? notFound())
  app.post('/api/play/runs/:id/stop', ({ req }) => play?.stop(req.param('id')) ?? notFound())
  app.all('/api/*', () => notFound())

  return {
    fetch: (request) =>
      isServerRequest(request) && !isForeignWorker(request) ? forServers(request) : app.fetch(request),
    routes: app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path })),
    signInLink: async (person, to) => {
      const code = await signIn.invite(person, instance)
      return code === undefined ? undefined : linkWith(code, base, to)
    },
    get openPages() {
      return streams.count
    },
    follow: (person, follower, signal) => feed.follow(person, follower, signal),
    endStreams: () => feed.end(),
  }
}

function searchOf(request: Request): URLSearchParams {
  return new URL(request.url).searchParams
}

function webPage({ req }: Context, web: WebFiles | undefined): Response {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  return (isRead ? web?.respond(req.raw) : undefined) ?? notFound()
}
