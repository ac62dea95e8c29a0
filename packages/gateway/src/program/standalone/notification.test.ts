// Notifications of real processes. A program of the test takes the place of the one that shows them.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { aHome, type Home, openFor } from './windows.suite.ts'

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const choice = { question: 'Which one?', options: [{ value: '4711' }, { value: '4712' }] }

const script = `#!${process.execPath}
require('node:fs').appendFileSync(process.env.ASSENT_HOME + '/shown', JSON.stringify(process.argv.slice(2)) + '\\n')
`

async function aDesktop(): Promise<{
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

test.runIf(process.platform === 'linux')(
  '[NOTIFY-1] of several windows one process shows a notification, without the arguments',
  async () => {
    const { home, variables, shown } = await aDesktop()
    const store = await home.store()
    const windows = [
      await home.window('2025-11-25', undefined, variables),
      await home.window('2026-07-28', undefined, variables),
    ]
    await until(() => (existsSync(join(home.folder, 'inbox.json')) ? true : undefined), 60_000)

    const calling = windows[1]?.call('elicit_choice', choice)
    calling?.catch(() => undefined)
    await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)
    await until(() => (shown().length > 0 ? true : undefined), 60_000)

    const [[app, end, summary, body] = []] = shown()
    expect([app, end]).toEqual(['--app-name=Assent', '--'])
    expect(summary).toMatch(/^window in assent-project-\w+ \(main\): Which one\?$/)
    expect(summary).not.toContain('4711')
    expect(body).toMatch(/^Answer in your inbox: http:\/\/localhost:\d+\/asks\/ask_\w+$/)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(shown()).toHaveLength(1)
  },
)

test.runIf(process.platform === 'linux')('[NOTIFY-1] switched off, nothing is shown', async () => {
  const { home, variables, shown } = await aDesktop()
  const store = await home.store()
  const window = await home.window('2026-07-28', undefined, { ...variables, ASSENT_DESKTOP_NOTIFY: 'false' })
  await until(() => (existsSync(join(home.folder, 'inbox.json')) ? true : undefined), 60_000)

  window.call('elicit_choice', choice).catch(() => undefined)
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)
  await new Promise((resolve) => setTimeout(resolve, 3_000))

  expect(shown()).toEqual([])
})
