// `assent` as a person starts it: in a real terminal, without a command.
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTmux } from '../../packages/sdk/src/terminal/tmux.suite.ts'
import { freePort } from '../../test-kit/listen.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))

test('[ALONE-7] in a terminal it says what it is and what to do next, opens the inbox, and ends at Ctrl+C', async () => {
  execFileSync('npm', ['run', '--silent', 'web'])
  const home = mkdtempSync(join(tmpdir(), 'assent-person-'))
  onTestFinished(() => removeFolder(home))
  const port = await freePort()
  vi.stubEnv('ASSENT_HOME', home)
  vi.stubEnv('ASSENT_LISTEN', `127.0.0.1:${port}`)
  const terminal = openTmux({ file: main, columns: 130 })
  vi.unstubAllEnvs()
  let isOver = false
  onTestFinished(() => (isOver ? undefined : terminal.close()))

  await terminal.sees('Ctrl+C stops it')
  const screen = await terminal.screen()
  expect(screen).toContain('your coding agent asks, you decide')
  expect(screen).toContain('npx assent init')
  expect(screen).toContain(`http://localhost:${port}/sign-in#code=`)
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)

  await terminal.press('C-c')
  // The shell of the terminal receives the key too, so the whole terminal ends with the program.
  await expect
    .poll(
      () =>
        terminal.screen().then(
          () => 'open',
          () => 'over',
        ),
      { timeout: 60_000 },
    )
    .toBe('over')
  isOver = true
  await expect(fetch(`http://localhost:${port}/`)).rejects.toThrow()
})
