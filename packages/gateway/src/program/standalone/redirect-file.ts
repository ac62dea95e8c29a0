// A file that takes a browser to a sign-in link.
//
// Arguments of a program can be read by every account of the machine, so the link is not one: the browser opens a file that
// only this account can read, and the file leads to the link.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inboxLimits } from '../../inbox/limits.ts'
import { redirectHtml } from '../text/desktop.ts'

const prefix = 'open-'
const suffix = '.html'

export interface RedirectFile {
  readonly path: string
  remove(): void
}

export function writeRedirectFile(home: string, link: string): RedirectFile {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  removeOld(home)
  const path = join(home, `${prefix}${randomBytes(16).toString('hex')}${suffix}`)
  writeFileSync(path, redirectPage(link), { mode: 0o600, flag: 'wx' })
  return { path, remove: () => rmSync(path, { force: true }) }
}

/** Files of processes that ended early. Their links have expired. */
function removeOld(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue
    const path = join(home, name)
    const writtenAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - writtenAtMs > inboxLimits.linkMs) rmSync(path, { force: true })
  }
}

function redirectPage(link: string): string {
  // URL.href has no quotes and no angle brackets; ampersands are escaped.
  const target = new URL(link).href.replaceAll('&', '&amp;')
  return redirectHtml(target)
}
