// Pages on another port of this machine, opened in the browser of a person who is signed in: real Chromium.

import type { ServerResponse } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { useAll } from './loot.ts'
import { aTrap, type RawReply, type Received, type Trap } from './raw-http.ts'
import { type Attack, acceptance, type LoopbackScene } from './scene.ts'
import type { AttackTally } from './tally.ts'
import { scriptOf, techniques } from './techniques.ts'

const laxText = 'readable by anyone'
/** The inbox draws a card within this time, on a busy machine too. */
const framedWithinMs = 8_000
/** A name of the attacker that leads to this machine. */
export const rebound = 'rebind.example'

export async function signedIn(
  browser: Browser,
  scene: LoopbackScene,
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  await context.addInitScript("localStorage.setItem('assent-example-seen', 'yes')")
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  await page.goto(await scene.link())
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { context, page }
}

/** What the browser sends automatically to a listener on another port. */
export function cookiesOnOtherPorts(browser: Browser): Attack {
  return {
    name: 'what a browser sends to another port',
    run: async (scene, tally) => {
      const { context } = await signedIn(browser, scene)
      const trap = await aTrap()
      const probe = await aTrap({
        respond: (_, response) => void response.setHeader('set-cookie', 'probe=1; SameSite=Strict').end('probe'),
      })
      for (const name of ['localhost', '127.0.0.1']) {
        const page = await context.newPage()
        await page.goto(`http://${name}:${probe.port}/`)
        await page.goto(`http://${name}:${trap.port}/docs`)
        const kept = await page.evaluate(`(async () => [...(await indexedDB.databases()).map(({ name }) => name),
          ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope)].join())()`)
        tally.attempt(`${name}: what is kept in the browser`, '', kept === '' ? undefined : `is there: ${kept}`)
        await page.close()
      }
      const sent = trap.received.map(({ headers }) => JSON.stringify(headers))
      tally.control('cookies do go to other ports', sent.filter((headers) => headers.includes('probe=1')).length >= 2)
      for (const headers of sent) {
        const has = /assent/i.test(headers)
        tally.attempt('a request', headers, has ? `carries what is the inbox's: ${headers}` : undefined)
      }
      await useAll(scene, trap.received, tally, 'what another port was sent')
      await Promise.all([context.close(), trap.close(), probe.close()])
    },
  }
}

export function requestsOfPages(browser: Browser): Attack {
  return {
    name: 'requests of a page on another port',
    run: async (scene, tally) => {
      const { context } = await signedIn(browser, scene)
      const [trap, lax] = [await aTrap(), await aTrap({ respond: allowAll })]
      for (const name of ['localhost', '127.0.0.1']) {
        for (const [what, technique] of Object.entries(techniques)) {
          const from = `http://${name}:${trap.port}/docs`
          if (name === 'localhost') await controlled(context, from, lax, tally, what)
          const { read, framed } = await tried(context, from, technique, scene.origin, scene.target)
          const isShown = framed.includes(scene.target.marker)
          tally.attempt(`${what} from ${name}`, read, isShown ? 'shows the card in a frame' : undefined)
        }
      }
      await useAll(scene, trap.received, tally, 'what the page was sent')
      await Promise.all([context.close(), trap.close(), lax.close()])
    },
  }
}

/** The control: a listener that allows everything receives the request. */
async function controlled(context: BrowserContext, from: string, lax: Trap, tally: AttackTally, what: string) {
  const before = lax.received.length
  const { framed } = await tried(context, from, techniques[what] ?? '', `http://localhost:${lax.port}`, {
    id: 'ask',
    marker: laxText,
  })
  tally.control(`${what} reaches a listener that allows it`, lax.received.length > before)
  if (what === 'frame' || what === 'object') tally.control(`a ${what} shows such a page`, framed.includes(laxText))
}

interface Aim {
  readonly id: string
  /** Text that only the inbox shows. */
  readonly marker: string
}

async function tried(context: BrowserContext, from: string, technique: string, to: string, { id, marker }: Aim) {
  const others = context.pages()
  const page = await context.newPage()
  await page.goto(from)
  const read = String(await page.evaluate(scriptOf(technique, to, id, acceptance())))
  const framed = await shownInFrames(page, to, marker)
  for (const opened of context.pages()) if (!others.includes(opened)) await opened.close()
  return { read, framed }
}

/** The text of frames with this address, as soon as it contains the marker. A frame that the browser refused has none. */
async function shownInFrames(page: Page, to: string, marker: string): Promise<string> {
  const endsAt = performance.now() + framedWithinMs
  for (;;) {
    const frames = page.frames().filter((frame) => frame !== page.mainFrame() && frame.url().startsWith(to))
    const texts = await Promise.all(frames.map((frame) => frame.evaluate('document.body.innerText').catch(() => '')))
    const text = texts.join('\n')
    if (frames.length === 0 || text.includes(marker) || performance.now() > endsAt) return text
    await page.waitForTimeout(100)
  }
}

function allowAll({ method, path, headers }: Received, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', headers.origin ?? '*')
  response.setHeader('access-control-allow-credentials', 'true')
  response.setHeader('access-control-allow-headers', 'content-type, assent-inbox')
  response.setHeader('content-type', path === '/api/changes' ? 'text/event-stream' : 'text/html')
  response.end(method === 'OPTIONS' ? undefined : laxText)
}

/** The attacker's host name resolves to this machine: for the browser, a page under that name and the inbox share an origin. */
export function reboundPages(browser: Browser): Attack {
  return {
    name: 'DNS rebinding in a browser',
    run: async ({ port, target }, tally) => {
      const context = await browser.newContext()
      const lax = await aTrap({ respond: allowAll })
      const page = await context.newPage()
      await page.goto(`http://${rebound}:${lax.port}/`)
      tally.control('the name leads to this machine', lax.received[0]?.headers.host === `${rebound}:${lax.port}`)
      // The page shown here represents the attacker's page, which was served under the same name before.
      const shown = await page.goto(`http://${rebound}:${port}/`)
      tally.refused('the page itself', { status: shown?.status() ?? 0, text: await page.content() })
      const reach = async (path: string, init = '{}') =>
        (await page.evaluate(`fetch('${path}', ${init}).then(
          async (reply) => ({ status: reply.status, text: await reply.text() }),
          () => ({ status: 0, text: '' }),
        )`)) as RawReply
      const [reads, writes] = [
        ['/', '/api/sign-in', '/api/asks', '/api/changes', '/metrics', '/healthz', '/readyz', '/mcp'],
        [`/api/asks/${target.id}/answer`, '/api/sign-in', '/api/sign-out', '/mcp'],
      ]
      for (const [path, init] of [...reads.map((path) => [path]), ...writes.map((path) => [path, posted()])]) {
        const reply = await reach(path ?? '', init)
        tally.refused(path ?? '', reply)
        tally.control(`${path} was answered`, reply.status > 0)
      }
      await Promise.all([context.close(), lax.close()])
    },
  }
}

function posted(): string {
  const headers = { 'content-type': 'application/json', 'assent-inbox': '1' }
  return JSON.stringify({ method: 'POST', headers, body: acceptance() })
}

/** A server asks the person to open a page at another port of this computer, and the person does. */
export function linksInCards(browser: Browser): Attack {
  return {
    name: 'link in a card to another port',
    run: async (scene, tally) => {
      const { context, page } = await signedIn(browser, scene)
      const trap = await aTrap()
      const id = await scene.ask(`link-${trap.port}`)
      await page.goto(`${scene.origin}/asks/${id}`)
      const card = page.locator('.card', { hasText: `localhost:${trap.port}` }).last()
      await card.waitFor()
      const warning = (await card.locator('.warning').allInnerTexts()).join()
      const isWarned = warning.includes(`port ${trap.port}`) && warning.includes('not to Assent')
      tally.attempt('the card', '', isWarned ? undefined : `names no port in a warning: "${warning}"`)
      // A new card ignores keys and clicks for a moment.
      await page.waitForTimeout(800)
      await page
        .getByRole('button', { name: /approve/i })
        .first()
        .click()
      const link = page.locator(`a[href*=":${trap.port}/"]`).first()
      await link.waitFor()
      const [opened] = await Promise.all([context.waitForEvent('page'), link.click()])
      await opened.waitForLoadState()
      tally.control(
        'the person opened the page',
        trap.received.some(({ path }) => path === '/docs'),
      )
      const { opener, referrer } = (await opened.evaluate(
        '({ opener: String(window.opener), referrer: document.referrer })',
      )) as { opener: string; referrer: string }
      tally.attempt('its opener', '', opener === 'null' ? undefined : 'is within reach of the page')
      tally.attempt('its referrer', '', referrer === '' ? undefined : `is known to the page: ${referrer}`)
      for (const { headers } of trap.received) {
        const isBare = headers.cookie === undefined && !/assent/i.test(JSON.stringify(headers))
        tally.attempt('what it was sent', '', isBare ? undefined : `has something: ${JSON.stringify(headers)}`)
      }
      const { read } = await tried(
        context,
        opened.url(),
        techniques['fetch of the list'] ?? '',
        scene.origin,
        scene.target,
      )
      tally.attempt('its fetch of the list', read)
      await useAll(scene, trap.received, tally, 'what the linked page was sent')
      await Promise.all([context.close(), trap.close()])
    },
  }
}
