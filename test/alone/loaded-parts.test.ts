// Which large parts the program loads: it runs in a process that writes down every module.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const recorder = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context) } })
`)}`

/** Large: Cedar has 4 MB of WebAssembly; the others are used by single commands and settings. */
const parts = { cedar: /@cedar-policy/, mail: /nodemailer/, migration: /packages\/onboarding\/src\/run\.ts/ }

const policies = 'policies: [{ name: everything, tools: ["*"], allow: true }]'

test('[RELEASE-5] Cedar is loaded only with policies, and mail and onboarding only when they are used', async () => {
  expect(await partsLoadedBy(['--version'])).toEqual([])
  // As for a client over stdio that ends at once.
  expect(await partsLoadedBy([])).toEqual([])
  expect(await partsLoadedBy(['gateway'], '')).toEqual([])
  expect(await partsLoadedBy(['gateway'], policies)).toEqual(['cedar'])
})

/** @param settings of a gateway, which is stopped when it listens */
async function partsLoadedBy(words: readonly string[], settings?: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-loaded-'))
  onTestFinished(() => removeFolder(folder))
  const [loaded, config] = [join(folder, 'loaded'), join(folder, 'assent.yaml')]
  const own = `listen: 127.0.0.1:0\nstore: sqlite:${folder}/a.db\nservers: { none: { command: none } }\n`
  writeFileSync(config, `${own}${settings ?? ''}\n`)
  const args = ['--conditions=assent-source', '--import', recorder, main, ...words]
  const child = spawn(process.execPath, [...args, ...(settings === undefined ? [] : ['--config', config])], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ASSENT_HOME: folder, ASSENT_LISTEN: '127.0.0.1:0', LOADED: loaded },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end()
  let log = ''
  // A second signal would end it at once.
  let isStopped = settings === undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
    if (!isStopped && log.includes('"Listening."')) isStopped = child.kill('SIGTERM')
  })
  const code = await new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
  expect(code, log).toBe(0)
  const modules = readFileSync(loaded, 'utf8')
  expect(modules).toContain('packages/gateway/src/program/main.ts')
  return Object.entries(parts).flatMap(([name, pattern]) => (pattern.test(modules) ? [name] : []))
}
