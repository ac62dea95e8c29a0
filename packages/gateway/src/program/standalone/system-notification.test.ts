import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from './desktop.ts'
import { notificationCommand } from './system-notification.ts'

const hostile = [
  '"; do shell script "touch /tmp/x"; "',
  "'; Start-Process calc; '",
  '$(touch x) `touch x` %PATH% $env:PATH',
  '--urgency=critical',
  '<a href="http://evil.example">Approve</a> &amp; <img src=x>',
  ']]></text><actions><action content="Approve"/></actions>',
  'line one\nline two',
]
const url = 'http://127.0.0.1:7421/'
const display = { DISPLAY: ':0' }
const platforms = ['darwin', 'win32', 'linux'] as const

/** The command without the texts. */
function scriptOf(platform: NodeJS.Platform, title: string, text: string) {
  const { program, args = [] } = notificationCommand({ title, text, url }, platform, display) ?? {}
  return [program, ...args.map((one) => (one.includes(text) || one.includes(title) ? 'a text' : one))]
}

test.each(platforms)(
  '[NOTIFY-1] on %s the texts are one argument or the input, and nothing else changes',
  (platform) => {
    const plain = scriptOf(platform, 'the title', 'the text')
    for (const text of hostile) {
      expect(scriptOf(platform, text, text)).toEqual(plain)
      const command = notificationCommand({ title: 'Codex', text, url }, platform, display)
      if (platform === 'win32') expect(JSON.parse(command?.input ?? '')).toEqual({ title: 'Codex', text })
      else expect(command?.args.filter((one) => one.includes(text))).toHaveLength(1)
      // Everything after this is an argument, even if it begins with a dash.
      if (platform !== 'win32')
        expect(command?.args.indexOf('--')).toBeLessThan(command?.args.findIndex((one) => one.includes(text)) ?? 0)
    }
  },
)

test('[NOTIFY-1] on Linux the body, in which markup is shown, contains only our address', () => {
  const { args = [] } = notificationCommand({ title: 'A', text: '<b>B</b>', url }, 'linux', display) ?? {}
  expect(args.slice(-2)).toEqual(['A: <b>B</b>', `Answer in your inbox: ${url}`])
})

test('[NOTIFY-1] a program in the folder of the project is not started', () => {
  const programs = (variables: NodeJS.ProcessEnv) =>
    (['darwin', 'win32'] as const).map(
      (one) => notificationCommand({ title: 'A', text: 'B', url }, one, variables)?.program,
    )
  const rest = '\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'
  expect(programs({})).toEqual(['/usr/bin/osascript', `C:\\Windows${rest}`])
  expect(programs({ SystemRoot: 'D:\\Win' })).toEqual(['/usr/bin/osascript', `D:\\Win${rest}`])
})

test('[NOTIFY-1] without a desktop there is no notification', () => {
  const one = { title: 'A', text: 'B', url }
  expect(notificationCommand(one, 'linux', {})).toBeUndefined()
  expect(notificationCommand(one, 'linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBeDefined()
})

test('[NOTIFY-1] the program gets the texts unchanged, and its failure is an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-notify-'))
  const log = join(folder, 'log')
  const script =
    '#!/usr/bin/env node\nrequire("fs").writeFileSync(process.env.LOG, JSON.stringify(process.argv.slice(2)))\n'
  writeFileSync(join(folder, 'notify-send'), script)
  chmodSync(join(folder, 'notify-send'), 0o755)
  const variables = { ...process.env, ...display, LOG: log, PATH: `${folder}${delimiter}${process.env.PATH}` }
  for (const text of hostile) {
    const command = notificationCommand({ title: 'Codex', text, url }, 'linux', variables)
    if (command === undefined) throw new Error('There is a display.')
    await runCommand(command, variables)
    expect(JSON.parse(readFileSync(log, 'utf8')).at(-2)).toBe(`Codex: ${text}`)
  }
  await expect(runCommand({ program: 'no-such-program', args: [] }, variables)).rejects.toThrow('ENOENT')
  await expect(runCommand({ program: 'false', args: [] }, variables)).rejects.toThrow('false ended with 1.')
  execFileSync('rm', ['-r', folder])
})
