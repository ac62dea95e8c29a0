// `assent try` and `assent play` as a person runs them: real processes, and a program of the test in place of the one that opens
// the browser.

import { delimiter } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SigningBrowser } from '../../../../../test-kit/gateway/signing-browser.ts'
import { until } from '../../../../../test-kit/until.ts'
import { asking, assent, startAssent } from '../process.suite.ts'
import { aDesktop, openerIn } from './desktop.suite.ts'
import { aHome, openFor, visit } from './windows.suite.ts'

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const onLinux = test.runIf(process.platform === 'linux')

onLinux('[ALONE-12] `assent try` opens a sample question in the browser, and shows what the agent gets', async () => {
  const { home, variables } = await aDesktop()
  const opened = openerIn(home)
  const command = assent(['try'], { folder: home.project, variables: { ...home.variables, ...variables } })
  const [link = ''] = await until(() => (opened().length > 0 ? opened() : undefined), 60_000)
  const [, id] = /to=%2Fasks%2F(\w+)$/.exec(link) ?? []
  const browser = await SigningBrowser.signIn(link)
  const answer = { decisionId: 'decision-of-the-test', answer: { action: 'accept', content: { yes: true } } }
  const { ask } = (await (await browser.get(`/api/asks/${id}`)).json()) as { ask: { buttons: { answer: object }[] } }
  const sent = await browser.post(`/api/asks/${id}/answer`, { ...answer, answer: ask.buttons[0]?.answer })
  expect(sent.status).toBe(200)

  const { code, out, err } = await command
  expect([code, out]).toEqual([0, ''])
  expect(err).toContain('1. An agent asks: "This is a sample question. Shall your agent continue?"')
  expect(err).toContain('2. You answer in your inbox.')
  expect(err).toMatch(/3\. The agent gets your answer:\n\n {3}The person said yes\./)
  expect(err).toContain('run: npx assent init')
})

onLinux('[ALONE-12] if no browser can be opened, `assent try` prints a link to the question', async () => {
  const { home, variables } = await aDesktop()
  const path = { PATH: [home.folder, '/nonexistent'].join(delimiter) }
  const { child, ended } = startAssent(['try'], {
    folder: home.project,
    variables: { ...home.variables, ...variables, ...path },
  })
  let out = ''
  child.stdout?.on('data', (text: Buffer) => {
    out += String(text)
  })
  const link = await until(() => (out.includes('\n') ? out.trim() : undefined), 60_000)
  const browser = await SigningBrowser.signIn(link)
  const [, id] = /to=%2Fasks%2F(\w+)$/.exec(link) ?? []
  await browser.post(`/api/asks/${id}/answer`, { decisionId: 'decision-of-the-test', answer: { action: 'decline' } })

  const { code, err } = await ended
  expect(code).toBe(0)
  expect(err).toContain('said no')
})

onLinux('[ALONE-12] stopped, `assent try` withdraws its question', async () => {
  const home = await aHome()
  onTestFinished(() => home.close())
  const store = await home.store()
  const { child, ended } = startAssent(['try'], { folder: home.project, variables: home.variables })
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)
  await visit(home, store)

  child.kill('SIGINT')

  expect((await ended).code).toBe(0)
  await until(async () => ((await openFor(store)).length === 0 ? true : undefined), 60_000)
})

onLinux('[PLAY-1] `assent play` opens its page in the browser, signed in, and prints no link', async () => {
  const { home, variables } = await aDesktop()
  const opened = openerIn(home)
  const { child, ended } = startAssent(['play', process.execPath, '--conditions=assent-source', asking], {
    folder: home.project,
    variables: { ...home.variables, ...variables },
  })
  const [link = ''] = await until(() => (opened().length > 0 ? opened() : undefined), 60_000)
  const browser = await SigningBrowser.signIn(link)
  expect(await (await browser.get('/api/me')).json()).toMatchObject({ hasPlayground: true })

  child.kill('SIGINT')

  expect((await ended).out).toBe('The playground opens in your browser. Ctrl+C stops it.\n')
})
