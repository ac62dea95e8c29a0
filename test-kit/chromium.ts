// The installed Chromium: without a sandbox because tests may run as root, without background requests.
import { type Browser, chromium } from 'playwright-core'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
]

export function aBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.ASSENT_TEST_CHROMIUM ?? '/usr/bin/chromium'
  return chromium.launch({ executablePath, args: [...args, ...more] })
}
