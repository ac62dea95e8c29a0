// Attempts of a person to approve who may not: on the page, with the keys, through the API of both gateways, from the command
// line, and with the token of their agent.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { decisionBody } from '../../test-kit/gateway/message-robot.ts'
import { fromOurPage } from '../../test-kit/gateway/signing-browser.ts'
import type { Checks } from './checks.ts'
import type { Replica, Team } from './team.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))

export interface Attempt {
  /** Of the person, signed in at each gateway. */
  readonly pages: readonly [Page, Page]
  readonly askId: string
  /** The bearer token of the person's agent. */
  readonly token: string
}

export async function tryToApprove(
  { pages, askId, token }: Attempt,
  { replicas }: Team,
  checks: Checks,
): Promise<void> {
  for (const [at, page] of pages.entries()) {
    const replica = replicas[at as 0 | 1]
    const buttons = page.getByRole('button', { name: /^(Approve|Decline)/ })
    checks.same(`the page of gateway ${at + 1} offers the requester no answer`, await buttons.count(), 0)
    await page.locator('.card').click({ position: { x: 5, y: 5 } })
    for (const key of ['y', 'n', 'Enter']) await page.keyboard.press(key)
    // No focus ring in pictures.
    await page.evaluate('document.activeElement.blur()')
    const read = await send(page, replica, 'GET', `/api/asks/${askId}`)
    checks.same(`gateway ${at + 1} shows the ask to the requester`, read.status, 200)
    for (const action of ['accept', 'decline'] as const) {
      const { status, text } = await send(page, replica, 'POST', `/api/asks/${askId}/answer`, decisionBody(action))
      const isRefused = status === 403 && text.includes('You cannot decide this')
      checks.is(`gateway ${at + 1} refuses a request of the requester to ${action}`, isRefused, [status, text])
    }
    const headers = { ...fromOurPage(replica.origin), authorization: `Bearer ${token}` }
    const body = JSON.stringify(decisionBody('accept'))
    const address = `${replica.origin}/api/asks/${askId}/answer`
    const { status } = await fetch(address, { method: 'POST', headers, body })
    checks.same(`gateway ${at + 1} refuses the token of the requester's agent`, status, 401)
  }
  const [first] = replicas
  const words = ['asks', 'answer', askId, '--accept', '--config', first.file]
  const command = await promisify(execFile)(process.execPath, ['--conditions=assent-source', main, ...words]).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )
  checks.is('the command line refuses to answer', command.code === 3, command)
}

/** A request with the session of the page's person. */
export async function send(
  page: Page,
  { origin }: Replica,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const cookies = await page.context().cookies(origin)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...fromOurPage(origin), cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}
