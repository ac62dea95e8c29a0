// The playground as its users start it: a program of its own around one server, and a real browser.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { SigningBrowser } from '../../packages/gateway/src/inbox/signing-browser.suite.ts'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { ann, aPlace, settleDown } from './visit.ts'

const place = aPlace()
const source = '--conditions=assent-source'
const main = fileURLToPath(new URL('../../packages/gateway/src/cli/main.ts', import.meta.url))
const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url))
const older = fileURLToPath(new URL('../../packages/gateway/src/contract/stdio-server.suite.ts', import.meta.url))

test('[PLAY-1] [PLAY-2] a tool is run from a form, its questions are answered in place, and the result is shown', async () => {
  const { page } = await place.visitLink(await playing(process.execPath, source, example('deploy')))
  await page.getByRole('heading', { name: 'deploy', exact: true }).waitFor()
  expect(await page.locator('.claim').textContent()).toContain('not checked by Assent')
  expect(await violations(page), 'the tool').toEqual([])
  await page.getByRole('radio', { name: 'production' }).check()
  await page.getByRole('button', { name: 'Run' }).click()

  const card = page.locator('.run-question')
  await card.getByRole('radio', { name: 'Europe' }).check()
  await settleDown(page)
  expect(await violations(page), 'a question').toEqual([])
  await card.getByRole('button', { name: 'Answer' }).click()
  await card.getByRole('textbox', { name: 'replicas' }).or(card.getByRole('slider')).first().waitFor()
  await settleDown(page)
  await card.getByRole('button', { name: 'Answer' }).click()
  await card.getByRole('radio', { name: 'No' }).check()
  await settleDown(page)
  await card.getByRole('button', { name: 'Answer' }).click()
  await card.getByRole('heading', { name: 'Let deploy go on' }).waitFor()
  await settleDown(page)
  await card.getByRole('button', { name: 'Approve' }).click()

  await page.getByText('Deployed app-production-42-eu-2.').first().waitFor()
  expect(await page.locator('.run-head').textContent()).toContain('Done')
  expect(await violations(page), 'the result').toEqual([])
})

test('[PLAY-1] a server at an address, with a list as its argument, as lines or as JSON; a no is shown as what it is', async () => {
  const server = spawn(process.execPath, [source, example('delete-artifacts'), '--http'])
  onTestFinished(() => void server.kill())
  const url = await said(server, 'stderr', /http:\S+/)
  const { page } = await place.visitLink(await playing(url))
  await page.getByLabel('names').fill('demo-1\nold-mix')
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const written = page.getByLabel('Arguments')
  expect(JSON.parse(await written.inputValue())).toEqual({ names: ['demo-1', 'old-mix'] })
  await written.fill('{ "names": ["a"')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('The arguments are a JSON object.').waitFor()
  expect(await page.locator('.run').count()).toBe(0)
  await written.fill('{ "names": ["demo-1", "old-mix"] }')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'Let delete_artifacts go on' }).waitFor()
  expect(await page.locator('.run-question .arguments').textContent()).toContain('old-mix')
  await settleDown(page)
  await page.keyboard.press('d')
  await page.getByRole('heading', { name: 'The tool says that it failed' }).waitFor()
})

test('[PLAY-1] a server of the older generation is played with alike, with an argument that only JSON can express, and a run can be stopped', async () => {
  const { page } = await place.visitLink(await playing(process.execPath, source, older, '2025-11-25'))
  const question = {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  }
  const questions = page.getByLabel('questions')
  await questions.fill('[{')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('This is not JSON.').waitFor()
  expect(await page.locator('.run').count()).toBe(0)
  await questions.fill(JSON.stringify([question]))
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'Sure?' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Stopped' }).waitFor()
  await page.getByRole('heading', { name: 'Sure?' }).waitFor({ state: 'detached' })
})

test('[PLAY-3] nothing is played without a session, from elsewhere, or under another name; an inbox is no playground', async () => {
  const link = new URL(await playing(process.execPath, source, example('set-tempo')))
  const browser = await SigningBrowser.signIn(link.href)
  const run = async (headers: Record<string, string>, body: object = { tool: 'set_tempo', arguments: { song: 'a' } }) =>
    (await browser.post('/api/play/runs', body, headers)).status

  expect(await run({ 'assent-proof': '' })).toBe(401)
  expect(await run({ origin: 'https://elsewhere.example' })).toBe(403)
  expect(await run({ 'assent-inbox': '0' })).toBe(403)
  expect(await run({ 'content-type': 'text/plain' })).toBe(403)
  expect(await run({}, { tool: 'set_tempo' })).toBe(400)
  expect(await run({}, { command: 'sh', args: ['-c', 'true'] })).toBe(400)
  expect(await run({})).toBe(200)
  expect((await fetch(`${link.origin}/api/play`)).status).toBe(401)

  const desk = await place.desk()
  const other = await SigningBrowser.signIn(await desk.linkFor(ann))
  expect((await other.get('/api/play')).status).toBe(404)
})

test.each([
  [['play'], 2, 'missing required argument'],
  [['play', 'no-such-program-here'], 3, 'error'],
  [['play', 'http://127.0.0.1:1/mcp', 'more'], 3, 'takes no arguments'],
  [['play', '--port', 'x', process.execPath, '-e', '0'], 3, 'error'],
])('[PLAY-3] the command line %j says what is wrong', async (words, code, expected) => {
  const child = spawn(process.execPath, [source, main, ...words])
  onTestFinished(() => void child.kill())
  let err = ''
  child.stderr.on('data', (text) => {
    err += text
  })
  expect(await once(child, 'close')).toEqual([code, null])
  expect(err).toContain(expected)
})

/** Starts `assent play` and gives the link that it prints. */
async function playing(...words: string[]): Promise<string> {
  await builtWebApp()
  const child = spawn(process.execPath, [source, main, 'play', ...words])
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  return said(child, 'stdout', /http:\S+/)
}

function said(child: ChildProcess, where: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child[where]?.on('data', (chunk) => {
      text += chunk
      const found = text.includes('\n') ? pattern.exec(text) : null
      if (found !== null) resolve(found[0])
    })
    child.on('close', () => reject(new Error(`It ended without a word of ${pattern}: ${text}`)))
  })
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    'axe.run().then((result) => result.violations)',
  )
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}
