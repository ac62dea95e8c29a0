// A robot like those of mail scanners and chat programs: it opens every link in a message, runs the scripts of the page,
// fills in and submits every form, clicks everything, and follows what it finds.

import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import type { BrowserContext, Page } from 'playwright-core'
import { fromOurPage } from './signing-browser.ts'

const answers = ['accept', 'decline', 'cancel'] as const

/** The addresses in a text, also across the soft line breaks of a mail. */
export function linksIn(text: string): string[] {
  const joined = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return [...new Set(Array.from(joined.matchAll(/https?:\/\/[^\s"'<>|\\]+/g), ([link]) => link))]
}

/** The body with which the web app decides. */
export function decisionBody(action: (typeof answers)[number]) {
  return { decisionId: newId('decision', Date.now(), randomBytes), answer: { action } }
}

/** Requests of every method, and everything that the web app sends to decide, except the proof of a session. */
export async function sendEverything(link: string, askId: string): Promise<number[]> {
  const { origin } = new URL(link)
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    await fetch(link, { method, ...(['GET', 'HEAD'].includes(method) ? {} : { body: 'action=accept' }) })
  const statuses: number[] = []
  for (const action of answers) {
    const body = JSON.stringify(decisionBody(action))
    const answer = new URL(`/api/asks/${askId}/answer`, origin)
    statuses.push((await fetch(answer, { method: 'POST', headers: fromOurPage(origin), body })).status)
    for (const path of [answer, new URL(link)])
      for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
        await fetch(path, {
          method: 'POST',
          headers: { ...fromOurPage(origin), 'content-type': type },
          body: `action=${action}`,
        })
  }
  return statuses
}

/** Everything on a page that a program could press. */
const pressable = 'a[href], button, input, [role=button], summary'

/** Presses each thing on the page of this link, each on a page of its own, and then submits the forms that it finds. */
export async function useEverything(
  context: BrowserContext,
  link: string,
): Promise<{ texts: string[]; pressed: number }> {
  const texts: string[] = []
  for (let pressed = 0; ; pressed++) {
    const page = await context.newPage()
    await page.goto(link, { waitUntil: 'networkidle' })
    if (pressed >= (await page.locator(pressable).count())) {
      await submitForms(page)
      await page.close()
      return { texts, pressed }
    }
    texts.push((await page.locator('body').textContent()) ?? '')
    for (const input of await page.locator('input, textarea').all()) await input.fill('accept').catch(() => undefined)
    await page
      .locator(pressable)
      .nth(pressed)
      .click({ timeout: 2_000, force: true })
      .catch(() => undefined)
    await submitForms(page)
    await page.close()
  }
}

/** A click may be opening another page, such as the login of an identity provider: then the forms of that page. */
async function submitForms(page: Page): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await page.waitForLoadState('networkidle')
      await page.evaluate('for (const form of document.forms) form.submit()')
      await page.waitForLoadState('networkidle')
      return
    } catch (error) {
      if (attempt === 5 || !String(error).includes('because of a navigation')) throw error
    }
  }
}
