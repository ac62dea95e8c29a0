// `assent` as a person starts it: in a real terminal, without a command.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openTmux } from '../../packages/sdk/src/terminal/tmux.suite.ts'
import { freePort } from '../../test-kit/listen.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))

test('[ALONE-7] in a terminal it says what it is and what to do next, opens the inbox, and ends at Ctrl+C', async () => {
  execFileSync('npm', ['run', '--silent', 'web'])
  const home = mkdtempSync(join(tmpdir(), 'assent-person-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const before = { home: process.env.ASSENT_HOME, listen: process.env.ASSENT_LISTEN }
  const port = await freePort()
  process.env.ASSENT_HOME = home
  process.env.ASSENT_LISTEN = `127.0.0.1:${port}`
  const terminal = openTmux({ file: main, columns: 130 })
  process.env.ASSENT_HOME = before.home ?? ''
  process.env.ASSENT_LISTEN = before.listen ?? ''
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
