// Notifications and opened pages of real processes. Programs of the test take the place of those that show them.

import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SigningBrowser } from '../../../../../test-kit/gateway/signing-browser.ts'
import { until } from '../../../../../test-kit/until.ts'
import { assent } from '../process.suite.ts'
import { aDesktop, openerIn } from './desktop.suite.ts'
import { aHome, openFor } from './windows.suite.ts'

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const choice = { question: 'Which one?', options: [{ value: '4711' }, { value: '4712' }] }

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

test.runIf(process.platform === 'linux')(
  '[NOTIFY-2] the first question opens its page in the browser, signed in, if no page is open',
  async () => {
    const { home, variables } = await aDesktop()
    const opened = openerIn(home)
    const store = await home.store()
    const window = await home.window('2026-07-28', undefined, { ...variables, ASSENT_DESKTOP_OPEN: 'true' })
    await until(() => (existsSync(join(home.folder, 'inbox.json')) ? true : undefined), 60_000)

    window.call('elicit_choice', choice).catch(() => undefined)
    const [link = ''] = await until(() => (opened().length > 0 ? opened() : undefined), 60_000)
    const [ask] = await openFor(store)
    expect(new URL(link).hash).toMatch(new RegExp(`^#code=[\\w-]{43}&to=%2Fasks%2F${ask?.id}$`))
    const browser = await SigningBrowser.signIn(link)
    expect((await browser.get(`/api/asks/${ask?.id}`)).status).toBe(200)
  },
)

test.runIf(process.platform === 'linux')(
  '[ALONE-11] `assent inbox open` starts the inbox, opens it signed in, and the inbox keeps running',
  async () => {
    const { home, variables } = await aDesktop()
    const opened = openerIn(home)
    const command = assent(['inbox', 'open'], { folder: home.project, variables: { ...home.variables, ...variables } })
    const [link = ''] = await until(() => (opened().length > 0 ? opened() : undefined), 60_000)
    const browser = await SigningBrowser.signIn(link)

    expect(await command).toEqual({ code: 0, out: '', err: 'Your inbox is open in your browser.\n' })
    expect((await browser.get('/api/history')).status).toBe(200)
    expect(await (await browser.get('/api/agents')).json()).toEqual({ running: 0 })
    expect(readdirSync(home.folder).filter((name) => name.endsWith('.html'))).toEqual([])

    // An agent that starts later uses the same inbox.
    await home.window('2026-07-28')
    await until(async () => {
      const { running } = (await (await browser.get('/api/agents')).json()) as { running: number }
      return running === 1 ? true : undefined
    }, 60_000)
  },
)

test.runIf(process.platform === 'linux')(
  '[ALONE-11] without a desktop `assent inbox open` prints the link and how to forward the port',
  async () => {
    const home = await aHome()
    onTestFinished(() => home.close())
    const variables = { ...home.variables, DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }
    const { code, out, err } = await assent(['inbox', 'open'], { folder: home.project, variables })
    const [port = ''] = /\d+$/.exec(home.variables.ASSENT_LISTEN ?? '') ?? []

    expect(code).toBe(0)
    expect(err).toContain(`ssh -L ${port}:localhost:${port}`)
    const browser = await SigningBrowser.signIn(out.trim())
    expect((await browser.get('/api/me')).status).toBe(200)
  },
)

test.runIf(process.platform === 'linux')(
  '[ALONE-11] if the browser does not open the inbox, `assent inbox open` fails and leaves no file',
  async () => {
    const { home, variables } = await aDesktop()
    const path = { PATH: `${home.folder}${delimiter}/nonexistent` }
    writeFileSync(join(home.folder, 'xdg-open'), '#!/bin/sh\nexit 3\n')
    chmodSync(join(home.folder, 'xdg-open'), 0o755)
    const { code, out, err } = await assent(['inbox', 'open'], {
      folder: home.project,
      variables: { ...home.variables, ...variables, ...path },
    })

    expect([code, out]).toEqual([3, ''])
    expect(err).toContain('No browser could be opened. To get a link instead, run: assent inbox link')
    expect(readdirSync(home.folder).filter((name) => name.endsWith('.html'))).toEqual([])
  },
)
