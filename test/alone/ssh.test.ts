// The inbox of an agent on another machine: a real SSH server, a forwarded port, and a browser at the other end.
//
// Both ends are this machine, so the port that is forwarded cannot have the same number at both. The browser connects to the
// forwarded one under the name and number of the inbox, as it would on the person's own machine.
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aHome } from '../../packages/gateway/src/program/standalone/windows.suite.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { freePort } from '../../test-kit/listen.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { until } from '../../test-kit/until.ts'
import { waitUntilActive } from '../inbox/test-env.ts'

vi.setConfig({ testTimeout: 240_000 })

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const sshd = '/usr/sbin/sshd'

test.runIf(existsSync(sshd))(
  '[ALONE-11] over SSH the printed link opens the inbox through a forwarded port, and answers reach the agent',
  async () => {
    const home = await aHome()
    onTestFinished(() => home.close())
    const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
    const ssh = await anSshServer()
    const window = await home.window('2026-07-28')
    const calling = window.call('elicit_confirm', { question: 'Deploy it?' })

    const settings = Object.entries(home.variables).map(([name, value]) => `${name}=${value}`)
    const command = [...settings, process.execPath, '--conditions=assent-source', main, 'inbox', 'open']
    const link = execFileSync('ssh', [...ssh.args, 'env', 'DISPLAY=:0', ...command], { encoding: 'utf8' }).trim()
    expect(link).toMatch(new RegExp(`^http://localhost:${port}/sign-in#code=[\\w-]{43}$`))

    const forwarded = await freePort()
    const tunnel = spawn('ssh', [
      ...ssh.args.slice(0, -1),
      '-N',
      '-L',
      `127.0.0.1:${forwarded}:localhost:${port}`,
      ssh.at,
    ])
    onTestFinished(() => void tunnel.kill())
    await until(() => canConnect(forwarded), 60_000)
    const browser = await aBrowser([`--host-resolver-rules=MAP localhost:${port} 127.0.0.1:${forwarded}`])
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(link)
    await page.locator('.row', { hasText: 'Deploy it?' }).click()
    await waitUntilActive(page)
    await page.getByRole('button', { name: 'Yes' }).click()

    expect(await calling).toMatchObject({ isError: false, data: { confirmed: true } })
    // The browser used the tunnel: without it the page cannot be reached.
    tunnel.kill()
    await page
      .getByText(/cannot be reached/)
      .first()
      .waitFor()
  },
)

/** A server for the user of this test, with a key of its own. */
async function anSshServer(): Promise<{ readonly args: readonly string[]; readonly at: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-ssh-'))
  onTestFinished(() => removeFolder(folder))
  const [hostKey, userKey, config] = ['host', 'user', 'sshd_config'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const key of [hostKey, userKey]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const port = await freePort()
  writeFileSync(
    config,
    `ListenAddress 127.0.0.1\nPort ${port}\nHostKey ${hostKey}\nAuthorizedKeysFile ${userKey}.pub\nPidFile none\n`,
  )
  appendFileSync(config, 'StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n')
  // Where sshd isolates its unprivileged process; only root needs it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const log = join(folder, 'log')
  const server = spawn(sshd, ['-D', '-f', config, '-E', log])
  onTestFinished(() => void server.kill())
  await until(() => canConnect(port), 60_000).catch(() => {
    throw new Error(`sshd did not start: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`)
  })
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'LogLevel=ERROR']
  const at = `${userInfo().username}@127.0.0.1`
  return { args: ['-F', 'none', '-p', String(port), '-i', userKey, ...options.flatMap((one) => ['-o', one]), at], at }
}

async function canConnect(port: number): Promise<true | undefined> {
  const { promise, resolve } = Promise.withResolvers<true | undefined>()
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(undefined))
  const result = await promise
  socket.destroy()
  return result
}
