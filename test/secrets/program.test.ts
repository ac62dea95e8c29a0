// `assent gateway` as people run it: servers that it starts ask for secrets, and a secret reaches only its server.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { freePort } from '../../test-kit/listen.ts'
import { patientName } from '../../test-kit/mcp/client.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { until } from '../../test-kit/until.ts'
import { aCaller } from './clients.ts'
import { generations } from './test-env.ts'

vi.setConfig({ testTimeout: 300_000 })

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const server = fileURLToPath(new URL('secretive-server.ts', import.meta.url))
const example = fileURLToPath(new URL('../../examples/with-a-secret/server.ts', import.meta.url))
const source = '--conditions=assent-source'

async function aProgram() {
  await builtWebApp()
  const folder = await mkdtemp(join(tmpdir(), 'assent-secret-program-'))
  const port = await freePort()
  const started = (generation: string, more: string) =>
    `{ command: ${JSON.stringify(process.execPath)}, args: ["${source}", ${JSON.stringify(server)}, "${generation}"]${more} }`
  const file = join(folder, 'assent.yaml')
  await writeFile(
    file,
    `listen: 127.0.0.1:${port}
store: sqlite:${folder}/assent.db
log: { level: trace, servers: true }
asks: { surfaces: [client, inbox] }
servers:
  newest: ${started('2026-07-28', ', secrets: { allowed: true }')}
  older: ${started('2025-11-25', ', secrets: { allowed: true }')}
  example: { command: ${JSON.stringify(process.execPath)}, args: ["${source}", ${JSON.stringify(example)}], secrets: { allowed: true } }
  forbidden: ${started('2026-07-28', '')}
`,
  )
  const child = spawn(process.execPath, [source, main, 'gateway', '--config', file])
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  const ended = new Promise((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await removeFolder(folder)
  })
  await until(() => (log.includes('Listening.') ? true : undefined))
  const signInLink = () =>
    spawnSync(process.execPath, [source, main, 'inbox', 'link', '--config', file], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout.trim()
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { origin: `http://127.0.0.1:${port}`, folder, log: () => log, signInLink, stop }
}

test('[SECRET-9] [SECRET-12] a secret is in no message, log, metric, record or file of the program', async () => {
  const program = await aProgram()
  const browser = await aBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto(program.signInLink())
  await page.getByText('Nothing is waiting for you.').waitFor()
  const secrets: string[] = []
  const received: string[] = []
  for (const generation of generations) {
    for (const name of ['newest', 'older']) {
      const caller = await aCaller(generation, `${program.origin}/mcp`, { name: patientName })
      const calling = caller.call(`${name}__login`)
      await page.goto((await until(() => caller.asked[0])).url ?? '')
      const secret = `c4nary${secrets.length}x${crypto.randomUUID().replaceAll('-', '')}`
      secrets.push(secret)
      await page.getByLabel('Secret', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Send secret' }).click()
      const { text, isError } = await calling
      expect([text, isError]).toEqual([createHash('sha256').update(secret).digest('hex'), false])
      received.push(...caller.received)
    }
  }
  const figures = await (await fetch(`${program.origin}/metrics`)).text()
  const held = await filesOf(program.folder)
  await program.stop()
  const record = recordOf(join(program.folder, 'assent.db'))

  expect(program.log()).toContain('a secret of 40 characters came')
  expect(record).toContain('collected')
  expect(figures).toContain('assent_asks_ended_total')
  const everywhere = { log: program.log(), figures, record, received: received.join(''), held, sent: sent.join('') }
  const found = Object.entries(everywhere).flatMap(([where, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${where}`),
  )
  expect(found).toEqual([])
  expect(sent.some((request) => request.includes('"ct"'))).toBe(true)
})

test('[SECRET-11] [SECRET-12] a server that may not ask for secrets has no credential, and cannot ask', async () => {
  const program = await aProgram()
  const caller = await aCaller('2026-07-28', `${program.origin}/mcp`)
  const { text, isError } = await caller.call('forbidden__login')
  expect(isError).toBe(true)
  expect(text).toContain('There is no page for entering a secret.')
  expect(caller.asked).toEqual([])
})

test('[GUIDE-1] [SECRET-8] the example of the guide receives its token', async () => {
  const program = await aProgram()
  const browser = await aBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(program.signInLink())
  await page.getByText('Nothing is waiting for you.').waitFor()
  const caller = await aCaller('2026-07-28', `${program.origin}/mcp`)
  const calling = caller.call('example__publish')
  await page.goto((await until(() => caller.asked[0])).url ?? '')
  await page.getByRole('heading', { name: 'Send a secret to example' }).waitFor()
  await page.getByLabel('Secret', { exact: true }).fill('npm_0123456789')
  await page.keyboard.press('Enter')
  expect(await calling).toEqual({ text: 'Published 1.0.0.', isError: false })
})

async function filesOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('assent.db'))
  expect(names.length).toBeGreaterThan(1)
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('')
}

function recordOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => database.close())
  return JSON.stringify(database.prepare('select * from audit_entries').all())
}
