// A desktop for real processes: programs of the test take the place of those that show notifications and open pages.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { aHome, type Home } from './windows.suite.ts'

const script = `#!${process.execPath}
require('node:fs').appendFileSync(process.env.ASSENT_HOME + '/shown', JSON.stringify(process.argv.slice(2)) + '\\n')
`

export async function aDesktop(): Promise<{
  home: Home
  variables: Readonly<Record<string, string>>
  shown: () => string[][]
}> {
  const home = await aHome()
  onTestFinished(() => home.close())
  writeFileSync(join(home.folder, 'notify-send'), script)
  chmodSync(join(home.folder, 'notify-send'), 0o755)
  const variables = {
    ASSENT_DESKTOP_NOTIFY: 'true',
    DISPLAY: ':0',
    PATH: `${home.folder}${delimiter}${process.env.PATH}`,
  }
  const log = join(home.folder, 'shown')
  const shown = () =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as string[])
  return { home, variables, shown }
}

/** A program in place of `xdg-open`, which records the link in the file that it opens. */
export function openerIn(home: Home): () => string[] {
  const path = join(home.folder, 'xdg-open')
  const record = `#!${process.execPath}
const { appendFileSync, readFileSync, statSync } = require('node:fs')
const [file] = process.argv.slice(2)
if ((statSync(file).mode & 0o777) !== 0o600) process.exit(1)
const [, link] = /url=([^"]+)"/.exec(readFileSync(file, 'utf8'))
appendFileSync(process.env.ASSENT_HOME + '/opened', link.replaceAll('&amp;', '&') + '\\n')
`
  writeFileSync(path, record)
  chmodSync(path, 0o755)
  const log = join(home.folder, 'opened')
  return () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [])
}
