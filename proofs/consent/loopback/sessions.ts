// A session without its key: the token of the session, which every listener on the port can see, is sent in all forms that
// a server might accept, to every route of the API; and requests are signed with a key that is not the browser's.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { signedText } from '../../../packages/gateway/src/inbox/signed-request.ts'
import { fromOurPage } from '../../../test-kit/gateway/signing-browser.ts'
import { type RawRequest, rawRequest } from './raw-http.ts'
import { type Attack, acceptance, type LoopbackScene } from './scene.ts'

/** Public routes: sign-in, the proof of a listener's identity, and the description of the API, which contains no data. */
const open = /^\/(?:api\/(?:sign-in|nonce|listener|openapi\.json$)|sign-in)/

interface Route {
  readonly method: string
  readonly path: string
}

export const sessionAlone: Attack = {
  name: 'session token without a signature',
  run: async (scene, tally) => {
    const routes = await protectedRoutes(scene)
    tally.control('the program describes its routes', routes.length >= 10)
    for (const { method, path } of routes) {
      for (const [form, headers] of await formsOf(scene)) {
        tally.refused(`${method} ${path} with ${form}`, await sendTo(scene, method, path, headers))
      }
      if (method !== 'GET' || path === '/api/changes') continue
      const { status } = await scene.person.browser.get(path)
      tally.control(`the person's own GET ${path} gets ${status}`, status !== 401 && status !== 403)
    }
  },
}

export const streamWithoutSignature: Attack = {
  name: 'event stream without a signature',
  run: async (scene, tally) => {
    const accept = { accept: 'text/event-stream' }
    for (const lastEventId of ['', '0', '1']) {
      for (const [form, headers] of await formsOf(scene)) {
        const asked = { ...accept, ...headers, ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) }
        tally.refused(`the stream with ${form}`, await sendTo(scene, 'GET', '/api/changes', asked))
      }
    }
    const own = await scene.person.browser.get('/api/changes', accept)
    await own.body?.cancel()
    tally.control("the person's own stream opens", own.status === 200)
  },
}

export const otherKey: Attack = {
  name: 'signature by another key',
  run: async (scene, tally) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const list = { method: 'GET', path: '/api/asks', body: '' }
    const answer = { method: 'POST', path: `/api/asks/${scene.target.id}/answer`, body: acceptance() }
    for (const { method, path, body } of [list, answer, { ...list, path: '/api/changes' }]) {
      const signed = await signedBy(privateKey, scene, method, path, body)
      const [session, nonce, requestId, digest, signature = ''] = signed.split('.')
      const start = [session, nonce, requestId, digest].join('.')
      const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
      const rest = { "the attacker's key": signature, zeros: 'A'.repeat(86), 'a changed signature': flipped }
      for (const [what, last] of Object.entries(rest)) {
        const headers = { 'assent-proof': `${start}.${last}` }
        tally.refused(`${method} ${path} with ${what}`, await sendTo(scene, method, path, headers, body))
      }
      const none = { 'assent-proof': `${start}.` }
      tally.refused(`${method} ${path} with no signature`, await sendTo(scene, method, path, none, body))
    }
    const proof = await scene.person.browser.proof('GET', '/api/asks')
    const own = await sendTo(scene, 'GET', '/api/asks', { 'assent-proof': proof })
    tally.control("the same request with the browser's key shows the card", own.text.includes(scene.target.marker))
  },
}

async function protectedRoutes({ person, target }: LoopbackScene): Promise<readonly Route[]> {
  const response = await person.browser.get('/api/openapi.json')
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths)
    .filter(([path]) => !open.test(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, target.id),
      })),
    )
}

/** Every way to send a session token that some server accepts, and those that this one accepted in the past. */
async function formsOf(scene: LoopbackScene): Promise<readonly (readonly [string, Record<string, string>])[]> {
  const { session } = scene.person.browser
  const nonce = await strangersNonce(scene)
  const random = (bytes: number) => randomBytes(bytes).toString('base64url')
  return [
    ['the cookie of an older version', { cookie: `assent-${scene.port}=${session}` }],
    ['a cookie under other names', { cookie: `__Host-assent=${session}; assent=${session}; session=${session}` }],
    ['the header of the session', { 'assent-session': session }],
    ['a bearer token', { authorization: `Bearer ${session}` }],
    ['the token as its proof', { 'assent-proof': session }],
    ['a made-up signature', { 'assent-proof': [session, nonce, random(16), random(32), random(64)].join('.') }],
    ['nothing', {}],
  ]
}

/** A program that saw the token gets a nonce for it. It is useless without the key. */
async function strangersNonce(scene: LoopbackScene): Promise<string> {
  const path = `/api/nonce?challenge=${randomBytes(32).toString('base64url')}`
  const { text } = await sendTo(scene, 'GET', path, { 'assent-session': scene.person.browser.session })
  return (JSON.parse(text) as { nonce: string }).nonce
}

async function signedBy(key: KeyObject, scene: LoopbackScene, method: string, path: string, body: string) {
  const parts = {
    session: scene.person.browser.session,
    nonce: await strangersNonce(scene),
    requestId: randomBytes(16).toString('base64url'),
    bodyDigest: createHash('sha256').update(body).digest('base64url'),
  }
  const text = Buffer.from(signedText(method, path, parts))
  const signature = sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return [parts.session, parts.nonce, parts.requestId, parts.bodyDigest, signature].join('.')
}

function sendTo(
  { origin, port }: LoopbackScene,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = acceptance(),
) {
  const request: RawRequest = { port, method, path, headers: { host: new URL(origin).host, ...headers } }
  return rawRequest(
    method === 'GET' ? request : { ...request, headers: { ...fromOurPage(origin), ...request.headers }, body },
  )
}
