// A program that takes the inbox's port while the person's tab is open and the inbox runs on another port: real Chromium.

import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { fromOurPage } from '../../../test-kit/gateway/signing-browser.ts'
import { startGatewayProcess } from '../gateway-process.ts'
import { PersonAtInbox } from '../person.ts'
import { useAll } from './loot.ts'
import { signedIn } from './pages.ts'
import { aTrap, type Received, rawRequest, type Trap, type TrapOptions } from './raw-http.ts'
import { type Attack, acceptance, type LoopbackScene } from './scene.ts'
import type { AttackTally } from './tally.ts'

/** How long the tab may send requests to the impostor by itself. */
const watchMs = 4_000

/** The same inbox at another port: a second gateway on the same store. */
interface Moved {
  readonly folder: string
  readonly port: number
}

/** The inbox moves to another port and an impostor takes its port; afterwards the inbox is back. */
async function withImpostor(
  scene: LoopbackScene,
  name: string,
  respond: ((moved: Moved) => TrapOptions['respond']) | undefined,
  work: (moved: Moved, trap: Trap) => Promise<void>,
): Promise<void> {
  const folder = join(scene.folder, name)
  mkdirSync(folder, { recursive: true })
  await scene.gateway.kill()
  const gateway = await startGatewayProcess({ program: scene.program, folder, config: scene.config })
  const moved = { folder, port: Number(new URL(gateway.origin).port) }
  const answer = respond?.(moved)
  const trap = await aTrap({ port: scene.port, ...(answer === undefined ? {} : { respond: answer }) })
  try {
    await work(moved, trap)
  } finally {
    await trap.close()
    await gateway.stop()
    await scene.gateway.restart()
  }
}

/** It forwards requests or invents responses. */
function passOn({ port }: Moved): TrapOptions['respond'] {
  return async ({ method, path, headers, body }, response) => {
    const { connection: _, ...same } = headers as Record<string, string>
    const content = method === 'GET' ? {} : { body }
    const reply = await rawRequest({ port, method, path, headers: { ...same, host: `localhost:${port}` }, ...content })
    const madeUp = JSON.stringify({ nonce: 'n'.repeat(22), proof: 'p'.repeat(43), asks: [] })
    response.setHeader('content-type', 'application/json').end(reply.status < 400 ? reply.text : madeUp)
  }
}

/** Zero clicks: the open tab reconnects by itself, to any program that listens. */
export function openTab(browser: Browser): Attack {
  return {
    name: 'impostor on the port of an open tab',
    run: async (scene, tally) => {
      const { context, page } = await signedIn(browser, scene)
      const notice = page.getByText('could not prove that it is your inbox').first()
      await page.getByText(scene.target.marker).first().waitFor()
      const received: Received[] = []
      await withImpostor(scene, 'moved', passOn, async ({ port }, trap) => {
        const isNoticed = await appears(notice)
        await page.waitForTimeout(watchMs)
        received.push(...trap.received)
        tally.attempt('the impostor', '', isNoticed ? undefined : 'is not noticed by the open tab')
        tally.control('the tab asked the impostor', received.length > 0)
        for (const { method, path, headers, body } of received) {
          const isChallenge = method === 'GET' && /^\/api\/nonce\?challenge=[\w-]{43}$/.test(path)
          const isBare = headers.cookie === undefined && headers['assent-proof'] === undefined && body === ''
          const problem = isChallenge && isBare ? undefined : `sent the impostor ${method} ${path} ${body}`
          tally.attempt('the tab', '', problem)
        }
        await useAll({ port, target: scene.target }, received, tally, 'at the moved inbox')
      })
      await useAll(scene, received, tally, 'at the restarted inbox')
      await notice.waitFor({ state: 'hidden' })
      tally.control('the tab continues by itself', await appears(page.getByText(scene.target.marker).first()))
      await context.close()
    },
  }
}

function appears(text: Locator): Promise<boolean> {
  return text.waitFor().then(
    () => true,
    () => false,
  )
}

/** Signs a request with the stored key of this origin, as any page at this address can. */
const signInPage = `async (method, path, nonce, body) => {
  const opening = indexedDB.open('assent', 1)
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const database = await done(opening)
  const { session, privateKey } = await done(database.transaction('browser').objectStore('browser').get('session'))
  database.close()
  const text = (bytes) => btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const bytes = (words) => new TextEncoder().encode(words)
  const requestId = text(crypto.getRandomValues(new Uint8Array(16)))
  const digest = text(await crypto.subtle.digest('SHA-256', bytes(body)))
  const signed = ['assent inbox request v1', method, path, digest, session, nonce, requestId].join('\\n')
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes(signed))
  const exported = await crypto.subtle.exportKey('pkcs8', privateKey).then(() => 'exported', () => 'refused')
  return { session, exported, proof: [session, nonce, requestId, digest, text(signature)].join('.') }
}`

interface Signed {
  readonly session: string
  readonly exported: string
  readonly proof: string
}

async function signedInPage(page: Page, method: string, path: string, nonce: string, body = ''): Promise<Signed> {
  const given = [method, path, nonce, body].map((one) => JSON.stringify(one)).join(', ')
  return (await page.evaluate(`(${signInPage})(${given})`)) as Signed
}

/** The person opens the inbox's address while the impostor has it: its page runs in our origin, with our key. */
export function pageOfImpostor(browser: Browser): Attack {
  return {
    name: "impostor's page with the browser's key",
    run: async (scene, tally) => {
      const { context, page } = await signedIn(browser, scene)
      const own = await signedInPage(page, 'GET', '/api/asks', await scene.person.browser.nonce())
      const read = await rawRequest({ port: scene.port, path: '/api/asks', headers: ownHeaders(scene.port, own.proof) })
      tally.control('at the inbox itself such a signature works', read.text.includes(scene.target.marker))
      tally.attempt('the key', '', own.exported === 'exported' ? 'can be taken out of the browser' : undefined)

      const signed: SignedByPage[] = []
      await withImpostor(scene, 'moved-again', undefined, async (moved) => {
        await page.goto(scene.origin)
        const isTheirs = (await page.textContent('body'))?.includes('Documentation') === true
        tally.control("the page is the impostor's", isTheirs)
        const path = `/api/nonce?challenge=${randomBytes(32).toString('base64url')}`
        const headers = { host: `localhost:${moved.port}`, 'assent-session': own.session }
        tally.refused('a nonce for the session', await rawRequest({ port: moved.port, path, headers }))
        // Even with a nonce of the moved inbox, which the impostor could not get.
        const helper = await PersonAtInbox.signIn(scene.program, moved.folder)
        tally.control('the question is in the moved inbox', (await helper.read(scene.target.id)).state.kind === 'open')
        signed.push(...(await signedByPage(page, scene, await helper.browser.nonce())))
        await sendAll(moved.port, signed, tally, 'at the moved inbox')
      })
      await sendAll(scene.port, signed, tally, 'at the restarted inbox')
      await context.close()
    },
  }
}

interface SignedByPage {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly proof: string
}

async function signedByPage(page: Page, { target }: LoopbackScene, nonce: string): Promise<readonly SignedByPage[]> {
  const signed: SignedByPage[] = []
  const sign = async (method: string, path: string, body = '') => {
    signed.push({ method, path, body, proof: (await signedInPage(page, method, path, nonce, body)).proof })
  }
  for (const path of ['/api/asks', `/api/asks/${target.id}`, '/api/changes']) await sign('GET', path)
  await sign('POST', `/api/asks/${target.id}/answer`, acceptance())
  return signed
}

async function sendAll(port: number, signed: readonly SignedByPage[], tally: AttackTally, where: string) {
  for (const { method, path, proof, body } of signed) {
    const own = ownHeaders(port, proof)
    const sent =
      method === 'GET' ? { headers: own } : { headers: { ...fromOurPage(`http://localhost:${port}`), ...own }, body }
    tally.refused(`${method} ${path} ${where}`, await rawRequest({ port, method, path, ...sent }))
  }
}

function ownHeaders(port: number, proof: string): Record<string, string> {
  return { host: `localhost:${port}`, 'assent-proof': proof }
}
