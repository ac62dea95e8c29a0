// The terminal surface in a real terminal.
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openTmux } from './tmux.suite.ts'

const file = fileURLToPath(new URL('real-terminal-program.suite.ts', import.meta.url))

test('[TERM-1] [TERM-6] [TERM-7] [TERM-12] a person answers in a real terminal, which is restored afterwards', {
  timeout: 300_000,
}, async () => {
  const terminal = openTmux({ file })
  onTestFinished(() => terminal.close())
  const { sees, press, screen } = terminal

  await sees('Name  (1 of 5)')
  await press('ab', 'Enter')
  await sees('Enter at least 3 characters.')
  await press('c', 'Enter')
  await sees('Day  (2 of 5)')
  await press('Enter')
  await sees('60 ━━━━━━━━━━━━━━━━●─────────────── 180')
  await press('Up', 'Enter')
  await sees('Formats  (4 of 5)')
  await press('Down', 'Space', 'Enter')
  await sees('Notify the team?')
  await press('y', 'Enter')
  await sees('Give these answers?')
  await press('y', 'Enter')

  await sees('asks for a secret')
  await press('hunter2')
  await sees('•••••••')
  expect(await screen()).not.toContain('hunter2')
  await press('Enter')

  await sees('replicas  4')
  await press('Escape')
  await sees('Dismissed without')

  await sees('Too slow?')
  await sees('Timed out')
  await sees('exit code 0')
  const printed = (await screen()).replaceAll('\n', '')
  expect(printed).toContain('"content":{"name":"abc","tempo":121,"formats":["mp3"],"notify":true}')
  expect(printed).toContain('{"kind":"given","secret":"hunter2"}')
  expect(printed).toContain('{"kind":"answered","answer":{"action":"cancel"}}')
  expect(printed).toContain('{"kind":"expired"}')
})
