// Builds the docs site and opens it in Chromium: accessibility, no requests to other hosts, search, published files.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { aBrowser } from '../../test-kit/chromium.ts'
import { closeAfterTest } from '../../test-kit/close-after-test.ts'
import { listen } from '../../test-kit/listen.ts'

const site = 'dist/site'
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
const looks = {
  'wide and light': { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  'wide and dark': { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  'phone and light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'phone and dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const
const samples = [
  '/',
  '/start/first-minute.html',
  '/start/clients/cursor.html',
  '/guides/approvals.html',
  '/reference/metrics.html',
]

beforeAll(() => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=assent-source', 'scripts/docs-site.ts'],
    { encoding: 'utf8' },
  )
  expect(status, `${stdout}${stderr}`).toBe(0)
}, 600_000)

describe.each(Object.entries(looks))('%s', (_, look) => {
  test('[SITE-11] axe finds no violation on five pages, and no page scrolls sideways', async () => {
    const { page, origin } = await openSite(look)
    for (const path of samples) {
      await page.goto(`${origin}${path}`)
      // The switch of the theme gets its name from the script, as the page has the theme of the system until then.
      await page.waitForFunction(
        `[...document.querySelectorAll('.VPSwitchAppearance')].every((button) => button.title !== '')`,
      )
      await page.evaluate(axe.source)
      const found = await page.evaluate('axe.run().then((result) => result.violations)')
      expect(found, path).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
    }
  })
})

test('[SITE-12] the site asks no other host for anything, and its search works', async () => {
  const { page, origin } = await openSite(looks['wide and light'])
  const requested = new Set<string>()
  page.on('request', (request) => requested.add(new URL(request.url()).origin))
  for (const path of samples) await page.goto(`${origin}${path}`)
  // The button works once the scripts have run.
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.locator('.VPLocalSearchBox input').fill('two-person approval')
  await expect.poll(() => page.locator('.VPLocalSearchBox .results').textContent()).toContain('Two-person approval')
  expect([...requested]).toEqual([origin])
})

test('[SITE-13] llms.txt, the pages as Markdown and the schema of the settings are published with the site', () => {
  for (const file of ['llms.txt', 'assent.schema.json', 'openapi.json', 'start/first-minute.md'])
    expect(existsSync(join(site, file)), file).toBe(true)
  expect(JSON.parse(readFileSync(join(site, 'assent.schema.json'), 'utf8'))).toEqual(
    JSON.parse(readFileSync('packages/gateway/assent.schema.json', 'utf8')),
  )
})

async function openSite(look: (typeof looks)[keyof typeof looks]): Promise<{ page: Page; origin: string }> {
  const served = await listen(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site')
    const file = join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    if (!existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file))
  })
  closeAfterTest(() => served.close())
  const browser = await aBrowser()
  closeAfterTest(() => browser.close())
  const context = await browser.newContext(look)
  return { page: await context.newPage(), origin: served.origin }
}
