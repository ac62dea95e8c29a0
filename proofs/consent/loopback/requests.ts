// A signed request that an attacker captured: sent again unchanged, or with changes.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { fromOurPage } from '../../../test-kit/gateway/signing-browser.ts'
import { type RawReply, type RawRequest, rawRequest } from './raw-http.ts'
import { type Attack, acceptance, type LoopbackScene } from './scene.ts'

/** The order of the group of P-256: with a signature (r, s) also (r, n - s) is valid. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const wordBytes = 32

export const sentAgain: Attack = {
  name: 'captured request sent again',
  run: async (scene, tally) => {
    const reading = await captured(scene, 'GET', `/api/asks/${scene.target.id}`)
    const first = await rawRequest(reading)
    tally.control('the captured request works once', first.text.includes(scene.target.marker))
    for (let n = 0; n < (scene.isFull ? 6 : 2); n++) tally.refused('the same request', await rawRequest(reading))
    tally.refused('its mirrored signature', await rawRequest(withProof(reading, mirrored)))
    const elsewhere = { ...reading, address: '::1' } as const
    tally.refused('the same request at the other address', await rawRequest(elsewhere).catch(noIpv6))

    const sample = await scene.ask(`replayed-${randomUUID()}-`)
    const declined = JSON.stringify({ decisionId: randomUUID(), answer: { action: 'decline' } })
    const answering = await captured(scene, 'POST', `/api/asks/${sample}/answer`, declined)
    const together = await Promise.all(Array.from({ length: 6 }, () => rawRequest(answering)))
    const accepted = together.filter(({ status }) => status === 200)
    tally.control("the person's signed answer counts", accepted.length >= 1)
    for (const reply of together.filter((one) => one !== accepted[0])) tally.refused('the same answer at once', reply)
    tally.refused('the answer after it counted', await rawRequest(answering))

    const stream = await captured(scene, 'GET', '/api/changes')
    tally.control('the captured stream opens once', (await rawRequest(stream)).status === 200)
    tally.refused('the same stream', await rawRequest(stream))
  },
}

interface Captured {
  readonly reading: RawRequest
  readonly answering: RawRequest
  readonly scene: LoopbackScene
}

/** Each changes requests that were signed for another ask, so that they act on the target. */
const changes: Readonly<Record<string, (captured: Captured) => RawRequest>> = {
  'the path of another ask': ({ reading, scene }) => ({ ...reading, path: `/api/asks/${scene.target.id}` }),
  'the path of the list': ({ reading }) => ({ ...reading, path: '/api/asks' }),
  'the path of the stream': ({ reading }) => ({ ...reading, path: '/api/changes' }),
  'a query': ({ reading }) => ({ ...reading, path: `${reading.path}?download` }),
  'a path with dots': ({ reading, scene }) => ({ ...reading, path: `${reading.path}/../${scene.target.id}` }),
  'encoded dots': ({ reading, scene }) => ({ ...reading, path: `${reading.path}/%2e%2e/${scene.target.id}` }),
  'HEAD for GET': ({ reading }) => ({ ...reading, method: 'HEAD' }),
  'GET for POST': ({ answering, reading }) => ({ ...withoutBody(answering), method: 'GET', path: reading.path }),
  'POST for GET': ({ reading, answering }) => ({ ...answering, headers: { ...answering.headers, ...reading.headers } }),
  'a method in a header': ({ reading }) => withHeaders(reading, { 'x-http-method-override': 'POST' }, acceptance()),
  'another body': ({ answering }) => ({ ...answering, body: acceptance() }),
  'a longer body': ({ answering }) => ({ ...answering, body: `${answering.body} ` }),
  'no body': ({ answering }) => withoutBody(answering),
  'another ask': ({ answering, scene }) => ({ ...answering, path: `/api/asks/${scene.target.id}/answer` }),
  'another ask and body': ({ answering, scene }) => ({
    ...answering,
    path: `/api/asks/${scene.target.id}/answer`,
    body: acceptance(),
  }),
  'a body with its own digest': ({ answering }) => {
    const body = acceptance()
    const digest = createHash('sha256').update(body).digest('base64url')
    return { ...withProof(answering, (parts) => parts.with(3, digest)), body }
  },
  'another nonce': ({ answering }) => withProof(answering, (parts) => parts.with(1, randomText(16))),
  'another request id': ({ answering }) => withProof(answering, (parts) => parts.with(2, randomText(16))),
  'another session': ({ answering }) => withProof(answering, (parts) => parts.with(0, randomText(32))),
  'two proofs': ({ answering, reading }) =>
    withHeaders(answering, { 'assent-proof': `${proofIn(reading)}, ${proofIn(answering)}` }),
}

export const changedOnTheWay: Attack = {
  name: 'captured request changed',
  run: async (scene, tally) => {
    const sample = await scene.ask(`changed-${randomUUID()}-`)
    const fresh = async (): Promise<Captured> => {
      const declined = JSON.stringify({ decisionId: randomUUID(), answer: { action: 'decline' } })
      const reading = await captured(scene, 'GET', `/api/asks/${sample}`)
      return { reading, answering: await captured(scene, 'POST', `/api/asks/${sample}/answer`, declined), scene }
    }
    for (const [what, change] of Object.entries(changes)) {
      tally.refused(what, await rawRequest(change(await fresh())))
      if ((await scene.person.read(sample)).state.kind !== 'open') tally.succeeded(`${what} decided another ask`)
    }
    const { reading, answering } = await fresh()
    tally.control('the unchanged request reads', (await rawRequest(reading)).status === 200)
    tally.control('the unchanged answer counts', (await rawRequest(answering)).status === 200)
  },
}

/** A request as the person's browser would send it, which an attacker has captured before it was sent. */
export async function captured(scene: LoopbackScene, method: string, path: string, body?: string): Promise<RawRequest> {
  const { browser } = scene.person
  const proof = { host: new URL(scene.origin).host, 'assent-proof': await browser.proof(method, path, body) }
  const content = body === undefined ? {} : { body }
  return {
    port: scene.port,
    method,
    path,
    headers: method === 'GET' ? proof : { ...fromOurPage(scene.origin), ...proof },
    ...content,
  }
}

function proofIn({ headers = {} }: RawRequest): string {
  return headers['assent-proof'] ?? ''
}

function withProof(request: RawRequest, change: (parts: readonly string[]) => readonly string[]): RawRequest {
  return withHeaders(request, { 'assent-proof': change(proofIn(request).split('.')).join('.') })
}

function withHeaders(request: RawRequest, headers: Record<string, string>, body = request.body): RawRequest {
  return {
    ...request,
    headers: { ...request.headers, ...headers },
    ...(body === undefined ? {} : { body }),
  }
}

function withoutBody({ body: _, ...request }: RawRequest): RawRequest {
  return request
}

function mirrored(parts: readonly string[]): readonly string[] {
  const bytes = Buffer.from(parts[4] ?? '', 'base64url')
  const s = BigInt(`0x${bytes.subarray(wordBytes).toString('hex')}`)
  const other = (order - s).toString(16).padStart(2 * wordBytes, '0')
  return parts.with(4, Buffer.concat([bytes.subarray(0, wordBytes), Buffer.from(other, 'hex')]).toString('base64url'))
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** If this machine has no such address, there is nothing to attack. */
function noIpv6(error: NodeJS.ErrnoException): RawReply {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT' || error.code === 'ECONNREFUSED')
    return { status: 403, text: '' }
  throw error
}
