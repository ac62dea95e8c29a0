import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { knownClients } from '../../call/clients/known-clients.ts'
import { asking, assent } from '../../program/process.suite.ts'
import { initClients } from '../init/clients.ts'
import { npxLaunch, pathLaunch, thisProgram } from '../init/launch.ts'
import { aMachine } from '../init/machine.suite.ts'
import { isAtLeast, oldestNode, whyTooOld } from '../node-version.ts'
import { clientReportOf } from './client-report.ts'
import { doctor } from './doctor.suite.ts'
import type { Examined, Report } from './examine.ts'

/** A configuration entry for a server of one protocol generation. */
function server(generation: '2025-11-25' | '2026-07-28') {
  return { command: process.execPath, args: ['--conditions=assent-source', asking, generation] }
}

function only({ clients }: Report): Examined {
  if (clients.length !== 1 || clients[0] === undefined) throw new Error(`${clients.length} clients`)
  return clients[0]
}

describe('client report', () => {
  test('[DOCTOR-1] the report matches the table of known clients that the gateway uses', () => {
    for (const { title } of initClients) {
      const row = knownClients.find((one) => one.title === title && one.before === undefined)
      const { forms, links, inbox } = clientReportOf(title)
      if (row === undefined) throw new Error(`${title} is not known`)

      expect(links, title).toBe(row.showsLinks ? 'supported' : 'not supported')
      expect(forms === 'not supported', title).toBe(row.form.kinds.length === 0)
      expect(inbox.includes('every question'), title).toBe(row.form.kinds.length === 0)
      expect(inbox.includes('forms with numbers'), title).toBe(
        row.form.kinds.length > 0 && !row.form.kinds.includes('number'),
      )
      expect(inbox.includes('every link'), title).toBe(!row.showsLinks)
      expect(inbox.includes('answers faster than a person'), title).toBe(row.form.kinds.length > 0)
    }
  })

  test('[DOCTOR-1] the reported waiting time is the one that the gateway assumes over stdio', () => {
    expect(clientReportOf('VS Code').waits).toBe('until the question expires')
    expect(clientReportOf('Claude Code').waits).toBe('until the question expires')
    expect(clientReportOf('Zed').waits).toContain('50 s; then the agent gets a handle')
    expect(clientReportOf('Codex').waits).toContain('as long as it shows the question itself; else 290 s')
    expect(clientReportOf('Somebody new').waits).toContain('50 s')
  })
})

describe('configuration files', () => {
  test('[DOCTOR-2] a client that is not set up is reported with the command that sets it up', async () => {
    const { code, report } = await doctor(await aMachine({ '.cursor/rules/a.mdc': '' }))

    expect(code).toBe(1)
    expect(only(report)).toMatchObject({ id: 'cursor', where: 'in this repository', places: [] })
    expect(only(report).problems).toEqual(['It is not set up. Run: assent init cursor'])
  })

  test('[DOCTOR-2] entries that init wrote are found for all clients, in both scopes', async () => {
    const machine = await aMachine()
    const { command, args } = pathLaunch(thisProgram())
    const all = initClients.map(({ id }) => id)
    await machine.init(all, { yes: true })
    await machine.init(all, { yes: true, scope: 'user' })

    const { report } = await doctor(machine, [], { start: false })

    expect(report.clients.map(({ id }) => id)).toEqual(all)
    const userAlone = initClients.flatMap(({ id, isUserAlone }) => (isUserAlone === true ? [id] : []))
    for (const { id, places, problems } of report.clients) {
      expect(problems, id).toEqual([])
      expect(
        places.map(({ words }) => words),
        id,
      ).toEqual(places.map(() => [command, ...args].join(' ')))
      expect(
        places.map(({ scope }) => scope),
        id,
      ).toEqual(userAlone.includes(id) ? ['user'] : ['project', 'user'])
    }
  })

  test('[DOCTOR-6] both commands that init writes are recognized, one without a version is reported', async () => {
    const entry = (launch: object) => JSON.stringify({ mcpServers: { assent: launch } })
    const { version } = thisProgram()
    const words = async (launch: object) => {
      const { report } = await doctor(await aMachine({ '.cursor/mcp.json': entry(launch) }), [], { start: false })
      return only(report)
    }
    expect((await words(npxLaunch(thisProgram()))).problems).toEqual([])
    expect((await words(pathLaunch(thisProgram()))).problems).toEqual([])
    expect((await words({ command: 'npx', args: ['-y', 'assent'] })).problems.join()).toContain('names no version')

    const started = async (launch: object) => {
      const { report } = await doctor(await aMachine({ '.cursor/mcp.json': entry(launch) }))
      return only(report).places[0]
    }
    expect((await started(pathLaunch(thisProgram())))?.live?.sessions.ok).toBe(true)
    for (const other of [
      { command: 'npx', args: ['-y', 'assent'] },
      { command: 'npx', args: ['-y', `assent@${version}-evil`] },
      { ...pathLaunch(thisProgram()), env: { NODE_OPTIONS: '--import=./evil.mjs' } },
    ]) {
      expect(await started(other)).toMatchObject({ words: expect.stringContaining('not started') })
    }
  })

  test.each([
    ['.cursor/mcp.json', '{ broken', 'cannot be used: line 1'],
    ['.cursor/mcp.json', '{ "mcpServers": { "assent": true } }', 'is not understood'],
    ['.cursor/mcp.json', '{ "mcpServers": { "assent": { "command": "a", "disabled": true } } }', 'switched off'],
    [
      'opencode.json',
      '{ "mcp": { "assent": { "type": "local", "command": ["a"], "enabled": false } } }',
      'switched off',
    ],
    ['.codex/config.toml', '[mcp_servers.assent]\ncommand = "a"\ntool_timeout_sec = 20\n', 'a timeout of 20 s'],
    [
      '.gemini/settings.json',
      '{ "mcpServers": { "assent": { "command": "a", "timeout": 5000 } } }',
      'a timeout of 5 s',
    ],
    [
      '.zed/settings.json',
      '{ "context_servers": { "assent": { "command": "a", "timeout": 10 } } }',
      'a timeout of 10 s',
    ],
  ])('[DOCTOR-2] %s with %j is reported as a problem', async (file, text, expected) => {
    const { code, report } = await doctor(await aMachine({ [file]: text }), [], { start: false })

    expect(code).toBe(1)
    expect(only(report).problems.join()).toContain(expected)
  })
})

describe('live check', () => {
  test('[DOCTOR-3] a server of each generation is started and tried with both protocol generations', async () => {
    const files = {
      '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { assent: server('2025-11-25') } }),
      '~/.gemini/settings.json': JSON.stringify({ mcpServers: { assent: server('2026-07-28') } }),
    }
    const { report } = await doctor(await aMachine(files))
    const [cursor, gemini] = report.clients.map(({ places }) => places[0]?.live)

    expect(cursor?.sessions).toMatchObject({ ok: true, revision: '2025-11-25' })
    expect(cursor?.stateless).toMatchObject({ ok: false })
    expect(gemini?.stateless).toMatchObject({ ok: true, revision: '2026-07-28' })
    for (const one of [cursor?.sessions, gemini?.stateless]) {
      expect(one?.ok === true ? one.tools.length : 0).toBeGreaterThan(0)
    }
  })

  test.each([
    [{ command: 'no-such-program-at-all' }, 'could not be started'],
    [{ command: process.execPath, args: ['-e', 'console.error("out of milk"); process.exit(3)'] }, 'out of milk'],
    [{ command: process.execPath, args: ['-e', 'console.log("hello")'] }, 'ended'],
  ])('[DOCTOR-3] a command that does not run a server is reported with its output: %j', async (entry, expected) => {
    const machine = await aMachine({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { assent: entry } }) })
    const { code, report } = await doctor(machine)

    expect(code).toBe(1)
    expect(only(report).problems.join()).toContain(expected)
  })

  test('[DOCTOR-4] a command from the repository runs only with --trust-project', async () => {
    const machine = await aMachine()
    const trace = machine.path('~/ran')
    const evil = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`],
    }
    machine.write('.mcp.json', JSON.stringify({ mcpServers: { assent: evil } }))

    const careful = await doctor(machine)
    expect(only(careful.report).places[0]?.words).toContain('not started')
    expect(() => machine.read('~/ran')).toThrow('ENOENT')

    await doctor(machine, [], { start: false, trustProject: true })
    expect(() => machine.read('~/ran')).toThrow('ENOENT')
    await doctor(machine, [], { trustProject: true })
    expect(machine.read('~/ran')).toBe('')
  })
})

describe('the machine', () => {
  test('[DOCTOR-5] Node must be at least the oldest supported version', async () => {
    const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } })
    expect(manifest.engines.node).toBe(`>=${oldestNode.join('.')}`)
    expect(['v22.18.0', 'v22.19.1', 'v24.0.0', 'v100.1.0'].map((one) => isAtLeast(one, [22, 18]))).not.toContain(false)
    expect(whyTooOld('v24.0.0')).toBeUndefined()
    expect(whyTooOld('v20.20.2')).toContain('needs Node 22.18 or later, and this is v20.20.2')
    expect(['v22.17.9', 'v20.20.2', 'v9.9.9', '', 'nonsense'].map((one) => isAtLeast(one, [22, 18]))).not.toContain(
      true,
    )
  })

  test('[DOCTOR-5] an old Node on the PATH is a problem for clients that start it by name, not by path', async () => {
    const found = async (command: string) => {
      const files = {
        '~/bin/node': '#!/bin/sh\necho v20.0.0\n',
        '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { assent: { command } } }),
      }
      const machine = await aMachine(files)
      chmodSync(machine.path('~/bin/node'), 0o755)
      const { report } = await doctor(machine, [], { start: false }, { PATH: machine.path('~/bin') })
      return report.surroundings.find(({ what }) => what === 'Node')
    }

    expect(await found('npx')).toMatchObject({ ok: false, words: expect.stringContaining('v20.0.0') })
    expect(await found(process.execPath)).toMatchObject({ ok: true })
  })

  test('[DOCTOR-5] a data folder that is not writable is reported', async () => {
    const machine = await aMachine({ '~/taken': '' })
    const { report } = await doctor({
      ...machine,
      variables: { ...machine.variables, ASSENT_HOME: machine.path('~/taken') },
    })

    expect(report.surroundings.find(({ what }) => what === 'Data folder')).toMatchObject({ ok: false })
  })
})

test('[DOCTOR-2] the command prints the report as text and exits with 2 for an unknown client', async () => {
  const machine = await aMachine({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { assent: server('2025-11-25') } }),
  })
  const run = (...words: string[]) =>
    assent(['doctor', ...words], {
      folder: machine.repository,
      variables: { HOME: machine.home, ASSENT_LISTEN: '127.0.0.1:1' },
    })

  const [all, none, wrong] = await Promise.all([run('cursor', 'zed'), run('zed'), run('emacs')])

  expect(all.out).toMatch(/✓ Cursor: works/)
  expect(all.out).toContain('2025-11-25 answered in')
  expect(all.out).toContain('– Zed: not set up. Run: assent init zed')
  expect(all.out).toContain('1 of 2 clients work; 1 not set up.')
  // Exit code 1 without a client that works: the summary does not say that there are no problems.
  expect(none.code).toBe(1)
  expect(none.out).toContain('0 of 1 client works; 1 not set up.')
  expect(none.out).not.toContain('no problems')
  expect(wrong.code).toBe(2)
  expect(wrong.err).toContain('Unknown client `emacs`')
})

test('[DOCTOR-4] a command of a repository cannot hide on the screen that it comes from there', async () => {
  const machine = await aMachine()
  const command = 'assent\u001b[8m\u202e'
  machine.write('.mcp.json', JSON.stringify({ mcpServers: { assent: { command, args: ['\r'] } } }))
  const variables = { HOME: machine.home, ASSENT_LISTEN: '127.0.0.1:1' }
  const doctorOf = (...words: string[]) =>
    assent(['doctor', 'claude-code', ...words], { folder: machine.repository, variables })

  const [words, json] = await Promise.all([doctorOf(), doctorOf('--json')])

  expect(words.out).toContain('assent⟨U+001B⟩[8m⟨U+202E⟩ ⟨U+000D⟩; not started, because the command comes from')
  expect(json.out).not.toContain('\u202e')
  expect(json.out).toContain('\\u202e')
})
