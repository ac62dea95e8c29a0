// The demo for platform teams, as a reader uses it: what it prints is run and clicked.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Browser } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { aBrowser } from '../../test-kit/chromium.ts'
import { signInOnPage } from '../../test-kit/oidc/sign-in-page.ts'
import { until } from '../../test-kit/until.ts'

const withinMs = 600_000

interface Running {
  printed(): string
  signal(name: NodeJS.Signals): void
  readonly code: Promise<number | null>
}

test('[RELEASE-4] the demo starts everything, its call runs after two printed people approve, and Ctrl+C ends it', {
  timeout: withinMs,
}, async () => {
  const demo = start(process.execPath, ['--conditions=assent-source', 'scripts/demo.ts'])
  await until(() => demo.printed().includes('Ctrl+C stops everything') || undefined, withinMs)
  const text = demo.printed()
  const address = (what: string) => new RegExp(`^  ${what} +(\\S+)$`, 'm').exec(text)?.[1] ?? ''
  const [inbox, file] = [address('inbox'), address('configuration')]
  expect(text).toMatch(/^ {2}ben .*release manager$/m)

  const staging = start('sh', ['-c', printedCall(text, 'staging')])
  expect(await staging.code).toBe(0)
  expect(staging.printed()).toContain('Rolled out checkout 2.4.1 to staging.')

  const call = start('sh', ['-c', printedCall(text, 'production')])
  const browser = await aBrowser()
  onTestFinished(() => browser.close())
  await approve(browser, inbox, 'ben')
  expect(call.printed()).not.toContain('Rolled out')
  await approve(browser, inbox, 'cleo')
  expect(await call.code).toBe(0)
  expect(call.printed()).toContain('Rolled out checkout 2.4.1 to production.')

  demo.signal('SIGINT')
  expect(await demo.code).toBe(0)
  expect(demo.printed()).toContain('Everything has stopped')
  for (const url of [inbox, address('identity provider')]) await expect(fetch(url)).rejects.toThrow()
  expect(existsSync(dirname(file))).toBe(false)
})

function printedCall(text: string, name: string): string {
  const [command = ''] = new RegExp(`npm run demo -- call ${name} .*$`, 'm').exec(text) ?? []
  return command
}

/** Signs in on the page of the inbox, opens the only ask and approves it. */
async function approve(browser: Browser, inbox: string, person: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1120, height: 780 } })
  context.setDefaultTimeout(withinMs)
  const page = await context.newPage()
  await page.goto(inbox)
  await signInOnPage(page, person)
  await page.getByText('Roll out a version').or(page.getByText('rollout')).first().click()
  await page.locator('.card[data-state="open"]').waitFor()
  // Buttons are ignored for a moment after the card appears.
  await page.waitForTimeout(700)
  await page.getByRole('button', { name: 'Approve' }).first().click()
  await page.getByText('You have answered').or(page.locator('.settled')).first().waitFor()
  await context.close()
}

function start(command: string, args: readonly string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  }
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await code
  })
  return { printed: () => printed, signal: (name) => void child.kill(name), code }
}
