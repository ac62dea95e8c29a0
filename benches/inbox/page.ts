// Measurements in the browser, with the page's clock: when a row is visible, when a button was pressed, how long frames
// take while the list is scrolled.

import type { Browser, BrowserContext, Page } from 'playwright-core'

/** How long a page may take on a busy machine. */
const patienceMs = 120_000

/** Injected into every page: records when texts become visible and when buttons are pressed. */
const recorderScript = `(() => {
  const now = () => performance.timeOrigin + performance.now()
  const seen = {}
  window.__bench = { seen, clickedAt: 0, firstRowAt: 0 }
  localStorage.setItem('assent-example-seen', 'yes')
  const look = () => {
    const rows = document.querySelectorAll('.row-what')
    if (rows.length === 0) return
    // In the next frame the text has been painted.
    requestAnimationFrame(() => {
      if (window.__bench.firstRowAt === 0) window.__bench.firstRowAt = performance.now()
      for (const { textContent } of rows) if (!(textContent in seen)) seen[textContent] = now()
    })
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  addEventListener('click', () => { window.__bench.clickedAt = now() }, { capture: true })
})()`

export async function aPage(browser: Browser, link: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  await context.addInitScript(recorderScript)
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { context, page }
}

/** When this text became visible in the list. */
export function seenAt(page: Page, text: string): Promise<number> {
  return waitForTime(page, `window.__bench.seen[${JSON.stringify(text)}]`)
}

/** Polled from outside: the page's content security policy does not allow evaluation inside it. */
async function waitForTime(page: Page, expression: string): Promise<number> {
  for (const giveUpAt = Date.now() + patienceMs; ; ) {
    const value = Number((await page.evaluate(expression)) ?? 0)
    if (value > 0) return value
    if (Date.now() > giveUpAt) throw new Error(`Not visible on the page: ${expression}`)
    await page.waitForTimeout(20)
  }
}

/** Opens the ask with this headline and chooses `eu`. Returns when the button was pressed. */
export async function answer(page: Page, text: string): Promise<number> {
  await page.locator('.row', { hasText: text }).first().click()
  await page.locator('.card', { hasText: text }).waitFor()
  // Waits longer than a new card ignores clicks.
  await page.waitForTimeout(600)
  await page.getByRole('button', { name: 'eu', exact: true }).click()
  await page.getByText(/You chose “eu”/).waitFor()
  return Number(await page.evaluate('window.__bench.clickedAt'))
}

/** From the start of the navigation to the first visible row. */
export async function firstRowMs(page: Page, url: string): Promise<number> {
  await page.goto(url)
  return waitForTime(page, 'window.__bench.firstRowAt')
}

export interface Scrolled {
  /** Each frame's time in milliseconds. */
  readonly frames: readonly number[]
  readonly rows: number
}

/** Scrolls the list down, as with a wheel, for this long. */
export async function scroll(page: Page, forMs: number): Promise<Scrolled> {
  const script = `new Promise((resolve) => {
    const list = document.querySelector('.list')
    const frames = []
    const begunAt = performance.now()
    let last = begunAt
    const frame = (at) => {
      frames.push(at - last)
      last = at
      list.scrollTop += 24
      if (at - begunAt < ${forMs}) requestAnimationFrame(frame)
      else resolve({ frames: frames.slice(1), rows: document.querySelectorAll('.row').length })
    }
    requestAnimationFrame(frame)
  })`
  return (await page.evaluate(script)) as Scrolled
}

/** The transferred bytes of script when the inbox is opened for the first time. */
export async function scriptBytes(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext()
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.waitForTimeout(500)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await context.close()
  return bytes
}
