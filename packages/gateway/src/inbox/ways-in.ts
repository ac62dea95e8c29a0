// The ways in, over HTTP: by a link that works once, or with an account at the issuer.
//
// Whichever it is, what a browser gets is a new session under a new token. A login begins on a page of ours and ends in
// the same browser; whatever else comes to its address is sent to the page that explains.

import type { InboxProblemCode, LoginStartView, SignedInView, SignInView } from '@assent/core'
import type { Env, Hono } from 'hono'
import { inboxLimits } from '../limits.ts'
import { readJsonBody } from './body.ts'
import { Cookie } from './cookie.ts'
import { portOf } from './listener-proof.ts'
import type { Login, LoginProblem } from './login.ts'
import { notFound, problem } from './problem.ts'
import { returnPath } from './return-path.ts'
import { aSecret, type SignIn } from './sign-in.ts'
import { readPublicKey } from './signed-request.ts'

export interface WaysIn {
  readonly base: URL
  readonly signIn: SignIn
  /** Where people have an account; links are then of no use. */
  readonly login: Login | undefined
  readonly session: Cookie
  /** This process, where a session belongs to the key of a browser. */
  readonly listener: string | undefined
}

export function addWaysIn<E extends Env>(app: Hono<E>, { base, signIn, login, session, listener }: WaysIn): void {
  const atIssuer = Cookie.ofLogin(base)

  app.get('/api/sign-in', () => {
    const view: SignInView = login === undefined ? { way: 'link' } : { way: 'account', issuer: login.issuerHost }
    return Response.json(view)
  })

  app.post('/api/sign-in', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    const { code, publicKey } = read.body
    if (login !== undefined) return problem('refused', 'Here people sign in with their own account, not by a link.')
    const given = typeof code === 'string' ? code : ''
    if (listener === undefined) {
      const entered = await signIn.redeem(given)
      if (!entered.ok) return problem(...notEntered[entered.reason])
      return new Response(null, { status: 204, headers: { 'set-cookie': session.set(entered.token) } })
    }
    if (readPublicKey(publicKey) === undefined) return problem('malformed', 'A browser signs in with a key of its own.')
    const listenerSecret = aSecret()
    const browser = { publicKey: String(publicKey), listenerSecret, port: Number(portOf(base)) }
    const entered = await signIn.redeem(given, { listener, browser })
    if (!entered.ok) return problem(...notEntered[entered.reason])
    const view: SignedInView = { session: entered.token, listenerSecret }
    // The cookie of an older version, if one is left.
    return Response.json(view, { headers: { 'set-cookie': session.clear() } })
  })

  app.post('/api/sign-in/start', async ({ req }) => {
    const read = await readJsonBody(req.raw, inboxLimits.signInBytes)
    if (!read.ok) return read.response
    if (login === undefined) return notFound()
    // Under another of our names the browser would come back without the cookie.
    if (req.raw.headers.get('host') !== base.host) return problem('refused', `Sign in at ${base.origin}.`)
    const started = await login.start()
    if (started === undefined) return problem('unavailable', words.unavailable)
    const kept = `${started.secret}.${Buffer.from(returnPath(read.body.to, base)).toString('base64url')}`
    const view: LoginStartView = { url: started.url.href }
    return Response.json(view, { headers: { 'set-cookie': atIssuer.set(kept) } })
  })

  app.get('/sign-in/callback', async ({ req }) => {
    if (login === undefined) return notFound()
    const [secret = '', path = ''] = (atIssuer.read(req.raw.headers.get('cookie')) ?? '').split('.', 2)
    const to = returnPath(Buffer.from(path, 'base64url').toString('utf8'), base)
    const explain = (why: LoginProblem | 'too-many') =>
      goOn(`/sign-in?${new URLSearchParams({ problem: why, to })}`, [atIssuer.clear()])
    if (!/^[\w-]{43}$/.test(secret)) return explain('stale')
    const returned = await login.finish(secret, new URL(req.url).search)
    if (!returned.ok) return explain(returned.problem)
    const entered = await signIn.begin(returned.login, returned.person, returned.name)
    if (!entered.ok) return explain(entered.reason === 'used' ? 'stale' : 'too-many')
    return goOn(to, [session.set(entered.token), atIssuer.clear()])
  })
}

/** 303, so that neither the address with the code nor a second sending of it stays in the browser's history. */
function goOn(path: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location: path })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

const words = {
  unavailable: 'The place where you sign in cannot be reached just now. Nothing is lost: try again in a moment.',
} as const

const notEntered: Readonly<Record<'used' | 'too-many', [InboxProblemCode, string]>> = {
  used: ['signed-out', 'This link was used already or is too old. Ask for a new one where you found it.'],
  'too-many': ['too-many', 'You are signed in in too many browsers. Sign out in one of them; this link stays good.'],
}
