// The approval of a server written with the sdk, asked of a client that cannot ask, decided in a real browser.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createKeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { startGateway } from 'assent'
import { expect, onTestFinished, test } from 'vitest'
import { answerFromMenu, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()
const example = fileURLToPath(new URL('../../examples/delete-artifacts.ts', import.meta.url))
const ann = { principal: 'ann', groups: [] }
const names = ['demo-1', 'old-mix']
const call = { name: 'delete_artifacts', arguments: { names } }
/** Instead of the SDKs' one minute: the decision is made in a browser. */
const timeout = { timeout: 240_000 }

for (const [generation, callFrom] of [
  ['2025-11-25', callFromOlder],
  ['2026-07-28', callFromNewest],
] as const) {
  test(`[CARD-14] [CARD-3] a ${generation} call continues after Approve, and not after Decline or Dismiss`, async () => {
    const inbox = await env.inbox({ tenant: 'default' })
    const url = await aGateway(inbox.store)
    const { page } = await env.visit(inbox)

    for (const [button, expected] of [
      ['Approve', /^Deleted 2 artifacts\.$/],
      ['Decline', /declined/i],
      ['Dismiss', /no choice|cancel|dismiss/i],
    ] as const) {
      await page.goto(inbox.url)
      const calling = callFrom(url)
      await page.getByRole('heading', { name: 'Delete 2 artifacts' }).waitFor()
      await waitUntilActive(page)
      expect(await page.locator('.arguments').textContent()).toContain('old-mix')
      expect(await page.locator('.declared-by').textContent()).toBe(
        'artifacts set these values. Your approval is valid only for exactly these values. ',
      )
      expect(await page.locator('.consequences').textContent()).toContain(
        'This cannot be undone, according to artifacts.',
      )
      // The action is the call, and the server wrote nothing about it.
      expect(await page.locator('.claim, .asked-in').count()).toBe(0)
      expect(await page.getByRole('radio').count()).toBe(0)
      if (button === 'Dismiss') await answerFromMenu(page, button)
      else await page.getByRole('button', { name: button }).click()
      // Only a yes to something destructive can be undone.
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(button === 'Approve' ? 1 : 0)
      expect(await calling).toMatch(expected)
    }
  })
}

test('[CARD-15] a yes to something destructive can be undone, and closing the page sends nothing', async () => {
  const inbox = await env.inbox({ tenant: 'default' })
  const calling = callFromOlder(await aGateway(inbox.store))
  const { page } = await env.visit(inbox)
  await page.getByRole('heading', { name: 'Delete 2 artifacts' }).waitFor()
  const isOpen = async () => {
    const { asks } = await inbox.store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
    return asks.length === 1
  }
  const approve = async () => {
    await waitUntilActive(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /“Approve” is sent in [1-5] s\./ })
      .waitFor()
  }

  await approve()
  await page.getByRole('button', { name: 'Undo' }).click()
  await approve()
  await page.keyboard.press('u')
  await page.getByRole('button', { name: 'Decline' }).waitFor()
  await approve()
  await page.reload()
  await page.waitForTimeout(6_000)
  expect(await isOpen()).toBe(true)

  await page.getByRole('heading', { name: 'Delete 2 artifacts' }).waitFor()
  await approve()
  expect(await isOpen()).toBe(true)
  expect(await calling).toBe('Deleted 2 artifacts.')
})

test('[CARD-15] a click on a card that has just appeared starts no yes to something destructive', async () => {
  const inbox = await env.inbox({ tenant: 'default' })
  const { page, context } = await env.visit(inbox)
  // Clicks in the moment in which the button appears, as a click that was meant for the card before it.
  await context.addInitScript(`new MutationObserver((_, observer) => {
    const button = [...document.querySelectorAll('.card button')].find(({ textContent }) => textContent.startsWith('Approve'))
    if (button === undefined) return
    observer.disconnect()
    globalThis.hasClicked = true
    button.click()
  }).observe(document, { childList: true, subtree: true })`)
  void callFromOlder(await aGateway(inbox.store)).catch(() => undefined)
  await page.goto(inbox.url)
  await page.getByRole('heading', { name: 'Delete 2 artifacts' }).waitFor()
  await expect.poll(() => page.evaluate('globalThis.hasClicked')).toBe(true)
  await page.waitForTimeout(1_000)
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Decline' }).click()
})

async function aGateway(store: Store): Promise<string> {
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers: { artifacts: { command: process.execPath, args: ['--conditions=assent-source', example], env: {} } },
    store,
    keys: createKeyRing([{ id: 'test', secret: randomBytes(32) }]),
    identify: () => ann,
    surfaces: ['client', 'inbox'],
    patienceMs: timeout.timeout,
  })
  onTestFinished(() => gateway.close())
  return gateway.url
}

const info = { name: 'cannot-ask', version: '1' }

async function callFromOlder(url: string): Promise<string> {
  const client = new OlderClient(info)
  // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(new OlderTransport(new URL(url)) as Transport)
  try {
    return textOf(await client.callTool(call, undefined, timeout))
  } finally {
    await client.close()
  }
}

async function callFromNewest(url: string): Promise<string> {
  const client = new NewestClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new NewestTransport(new URL(url)))
  try {
    return textOf(await client.callTool(call, timeout))
  } finally {
    await client.close()
  }
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? ''
}
