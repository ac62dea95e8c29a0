import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../../test-kit/remove-folder.ts'
import { inboxLimits } from '../../inbox/limits.ts'
import { hasDesktop, launch, openCommand } from './desktop.ts'
import { openSignedIn } from './open-signed-in.ts'
import { writeRedirectFile } from './redirect-file.ts'

const link = 'http://localhost:7421/sign-in#code=secret-code&to=%2Fasks%2Fask_1'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-desktop-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

test('[NOTIFY-2] there is a desktop only where the person of the process sits', () => {
  const linux = (variables: NodeJS.ProcessEnv) => hasDesktop('linux', variables)
  expect([linux({}), linux({ DISPLAY: '' }), linux({ SSH_CONNECTION: '1', DISPLAY: ':10' })]).toEqual([
    false,
    false,
    false,
  ])
  expect([linux({ DISPLAY: ':0' }), linux({ WAYLAND_DISPLAY: 'w' }), linux({ WSL_DISTRO_NAME: 'Debian' })]).toEqual([
    true,
    true,
    true,
  ])
  expect((['darwin', 'win32'] as const).map((one) => hasDesktop(one, {}))).toEqual([true, true])
  expect((['darwin', 'win32'] as const).map((one) => hasDesktop(one, { SSH_TTY: '/dev/ttys1' }))).toEqual([
    false,
    false,
  ])
})

test('[NOTIFY-2] the browser is started by a program that the project cannot replace, with one argument', () => {
  const commands = (['darwin', 'win32', 'linux'] as const).map((one) =>
    openCommand('/h/x.html', one, { DISPLAY: ':0' }),
  )
  expect(commands).toEqual([
    { program: '/usr/bin/open', args: ['/h/x.html'] },
    { program: 'C:\\Windows\\System32\\rundll32.exe', args: ['url.dll,FileProtocolHandler', '/h/x.html'] },
    { program: 'xdg-open', args: ['/h/x.html'] },
  ])
  expect(openCommand('/h/x.html', 'linux', { WSL_DISTRO_NAME: 'Debian' })?.program).toBe('wslview')
  expect(openCommand('/h/x.html', 'linux', {})).toBeUndefined()
})

test('[LOCAL-12] the link is in a file that only this account can read, and in no argument', async () => {
  const home = aFolder()
  const opener = join(home, 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > "$ASSENT_HOME/args"\ncp "$1" "$ASSENT_HOME/copy"\n`)
  chmodSync(opener, 0o755)
  const path = `${home}${delimiter}${process.env.PATH}`
  const file = await openSignedIn(link, { ASSENT_HOME: home, DISPLAY: ':0', PATH: path })

  expect(readFileSync(join(home, 'args'), 'utf8')).toBe(`${file.path}\n`)
  expect(readFileSync(join(home, 'copy'), 'utf8')).toContain(`url=${link.replace('&', '&amp;')}"`)
  expect(statSync(file.path).mode & 0o777).toBe(0o600)
  file.remove()
  expect(readdirSync(home).filter((name) => name.endsWith('.html'))).toEqual([])
})

test('[LOCAL-12] a file whose browser could not be started is removed, and old ones with the next', async () => {
  const home = aFolder()
  await expect(openSignedIn(link, { ASSENT_HOME: home, DISPLAY: ':0', PATH: home })).rejects.toThrow(
    'No browser could be opened.',
  )
  await expect(openSignedIn(link, { ASSENT_HOME: home, PATH: home })).rejects.toThrow('No browser could be opened.')
  expect(readdirSync(home)).toEqual([])

  const [old, recent] = [writeRedirectFile(home, link), writeRedirectFile(home, link)]
  const longAgo = new Date(Date.now() - inboxLimits.linkMs - 1_000)
  utimesSync(old.path, longAgo, longAgo)
  const { path } = writeRedirectFile(home, link)
  expect(
    readdirSync(home)
      .map((name) => join(home, name))
      .sort(),
  ).toEqual([recent.path, path].sort())
})

test('[NOTIFY-2] a program that runs on counts as started, and one that fails at once does not', async () => {
  const variables = { PATH: process.env.PATH }
  await launch({ program: 'true', args: [] }, variables)
  await launch({ program: 'sleep', args: ['5'] }, variables)
  await expect(launch({ program: 'false', args: [] }, variables)).rejects.toThrow('false ended with 1.')
  await expect(launch({ program: 'no-such-program', args: [] }, variables)).rejects.toThrow('ENOENT')
})
