// Sign-in over HTTP: by a link that works once, or with an account at the issuer.
//
// Either way the browser gets a new session with a new token. A login starts on our page and must end in the same
// browser; any other request to the callback is redirected to the page that explains the problem.

import type { InboxProblemCode, LoginStartView, SignedInView, SignInView } from '@assent/core'
import type { Env, Hono } from 'hono'
import { readJsonBody } from './body.ts'
import { Cookie } from './cookie.ts'
import { inboxLimits } from './limits.ts'
import { portOf } from './listener-proof.ts'
import type { Login, LoginProblem } from './login.ts'
import { notFound, problem } from './problem.ts'
import { RateLimit } from './rate-limit.ts'
import { returnPath } from './return-path.ts'
import { aSecret, type SignIn } from './sign-in.ts'
import { readPublicKey } from './signed-request.ts'
import { signInRefusals as text } from './text/sign-in.ts'

export interface SignInRoutes {
  readonly base: URL
  readonly signIn: SignIn
  /** Sign-in by account; links are then refused. */
  readonly login: Login | undefined
  readonly session: Cookie
  /** This process, if sessions are bound to a browser's key. */
  readonly listener: string | undefined
  /** Opens a signed-in page in the person's own browser, if this process runs at their desktop. */
  readonly openTab: OpenTab | undefined
}

/** Opens this page of the inbox, signed in. Rejects if no browser could be started. */
export type OpenTab = (path: string) => Promise<void>

export function addSignInRoutes<E extends Env>(
  app: Hono<E>,
  { base, signIn, login, session, listener, openTab }: SignInRoutes,
): void {
  const loginCookie = Cookie.ofLogin(base)
  const openedTabs = new RateLimit(inboxLimits.openedTabs, inboxLimits.openedTabsMs)

  app.get('/api/sign-in', () => {
    const byLink: SignInView = { way: 'link', ...(openTab === undefined ? {} : { canOpenTab: true }) }
    const view: SignInView = login === undefined ? byLink : { way: 'account', issuer: login.issuerHost }
    return Response.json(view)
  })

  // Needs no session: the page appears at the desktop of the person whose process this is, and nothing is returned here.
  app.post('/api/sign-in/open', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    if (openTab === undefined || login !== undefined) return notFound()
    // Every local program can send this request.
    if (!openedTabs.take()) return problem('too-many', text.tooManyTabs)
    await openTab(returnPath(read.body.to, base))
    return new Response(null, { status: 204 })
  })

  app.post('/api/sign-in', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    const { code, publicKey } = read.body
    if (login !== undefined) return problem('refused', text.noLinks)
    const given = typeof code === 'string' ? code : ''
    if (listener === undefined) {
      const entered = await signIn.redeem(given)
      if (!entered.ok) return problem(...signInProblems[entered.reason])
      return new Response(null, { status: 204, headers: { 'set-cookie': session.set(entered.token) } })
    }
    if (readPublicKey(publicKey) === undefined) return problem('malformed', text.noKey)
    const listenerSecret = aSecret()
    const browser = { publicKey: String(publicKey), listenerSecret, port: Number(portOf(base)) }
    const entered = await signIn.redeem(given, { listener, browser })
    if (!entered.ok) return problem(...signInProblems[entered.reason])
    const view: SignedInView = { session: entered.token, listenerSecret }
    // Deletes the cookie that an older version may have set.
    return Response.json(view, { headers: { 'set-cookie': session.clear() } })
  })

  app.post('/api/sign-in/start', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    if (login === undefined) return notFound()
    // Under another of our host names the browser would return without the cookie.
    if (req.raw.headers.get('host') !== base.host) return problem('refused', text.signInAt(base.origin))
    const started = await login.start()
    if (started === undefined) return problem('unavailable', text.unavailable)
    const cookieValue = `${started.secret}.${Buffer.from(returnPath(read.body.to, base)).toString('base64url')}`
    const view: LoginStartView = { url: started.url.href }
    return Response.json(view, { headers: { 'set-cookie': loginCookie.set(cookieValue) } })
  })

  app.get('/sign-in/callback', async ({ req }) => {
    if (login === undefined) return notFound()
    const [secret = '', path = ''] = (loginCookie.read(req.raw.headers.get('cookie')) ?? '').split('.', 2)
    const to = returnPath(Buffer.from(path, 'base64url').toString('utf8'), base)
    const explain = (why: LoginProblem | 'too-many', cookies = [loginCookie.clear()]) =>
      redirect(`/sign-in?${new URLSearchParams({ problem: why, to })}`, cookies)
    if (!/^[\w-]{43}$/.test(secret)) return explain('stale')
    const returned = await login.finish(secret, new URL(req.url).search)
    if (!returned.ok) return returned.isPending === true ? explain(returned.problem, []) : explain(returned.problem)
    const entered = await signIn.begin(returned.login, returned.person, returned.name)
    if (!entered.ok) return explain(entered.reason === 'used' ? 'stale' : 'too-many')
    return redirect(to, [session.set(entered.token), loginCookie.clear()])
  })
}

/** 303, so that the address with the code is not in the browser's history and is not sent again. */
function redirect(path: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location: path })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

const signInProblems: Readonly<Record<'used' | 'too-many', [InboxProblemCode, string]>> = {
  used: ['signed-out', text.usedLink],
  'too-many': ['too-many', text.tooManyBrowsers],
}
