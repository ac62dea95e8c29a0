// The output of `assent doctor` while it runs, its time limit, and the reasons of failures.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../../test-kit/close-after-test.ts'
import { runDoctor } from '../../program/run-doctor.ts'
import { orchestraConductor } from '../init/conductor.corpus.ts'
import { npxLaunch, pathLaunch, thisProgram } from '../init/launch.ts'
import { aMachine } from '../init/machine.suite.ts'
import { doctor } from './doctor.suite.ts'

const entry = (launch: object) => JSON.stringify({ mcpServers: { assent: launch } })
const node = (code: string) => ({ command: process.execPath, args: ['-e', code] })

test('[DOCTOR-7] each client is printed as soon as it is checked; one that hangs is not checked in time', {
  timeout: 30_000,
}, async () => {
  const machine = await aMachine({
    '~/.cursor/mcp.json': entry(node('console.error("still downloading"); setInterval(() => {}, 1000)')),
    '~/.gemini/settings.json': entry(node('console.error("no such thing"); process.exit(1)')),
  })
  const begun = performance.now()
  const printed: { text: string; atMs: number }[] = []
  const terminal = {
    out: (text: string) => void printed.push({ text, atMs: performance.now() - begun }),
    err: () => undefined,
    variables: { ...machine.variables, PATH: process.env.PATH, ASSENT_LISTEN: '127.0.0.1:1' },
    isOutColoured: false,
    isErrColoured: false,
  }

  const code = await runDoctor(['cursor', 'gemini-cli', 'zed'], { start: true }, terminal, machine.repository)

  expect(code).toBe(1)
  expect(performance.now() - begun).toBeLessThan(20_000)
  const at = (part: string) => printed.find(({ text }) => text.includes(part))?.atMs ?? Number.NaN
  expect(at('✗ Gemini CLI: 1 problem')).toBeLessThan(10_000)
  expect(at('– Zed: not set up')).toBeLessThan(10_000)
  expect(at('✗ Cursor: not checked in time')).toBeGreaterThan(10_000)
  expect(printed.map(({ text }) => text).join('\n')).toContain('Its output: still downloading')
})

describe('reasons', () => {
  test('[DOCTOR-3] the reason of npm is reported, with the user’s registry and proxy settings', {
    timeout: 30_000,
  }, async () => {
    const asked: string[] = []
    const registry = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    })
    await listening(registry)
    closeAfterTest(() => void registry.close())
    const machine = await aMachine({ '~/.cursor/mcp.json': entry(npxLaunch(thisProgram())) })
    const npm_config_registry = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`

    const { code, report } = await doctor(machine, ['cursor'], {}, { npm_config_registry, NO_PROXY: '127.0.0.1' })

    expect(code).toBe(1)
    expect(report.clients[0]?.problems.join()).toContain('E404')
    expect(asked.join()).toContain('/assent')
  })

  test('[DOCTOR-3] configured secrets and control characters in the output are not printed', async () => {
    const code = 'console.error("error: key " + process.env.API_KEY + "\\u001b[2J"); process.exit(1)'
    const launch = { ...node(code), env: { API_KEY: 'k3y-of-mine' } }
    const machine = await aMachine({ '~/.cursor/mcp.json': entry(launch) })

    const { report } = await doctor(machine)

    const problems = report.clients[0]?.problems.join() ?? ''
    expect(problems).toContain('error: key [secret]')
    expect(problems).not.toContain('\u001b')
  })

  test('[DOCTOR-3] the settings for proxies and certificates reach the started command', async () => {
    const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'ASSENT_HOME']
    const code = `console.error('error: ' + ${JSON.stringify(names)}.map((name) => process.env[name]).join(' ')); process.exit(1)`
    const machine = await aMachine({ '~/.cursor/mcp.json': entry(node(code)) })
    const given = Object.fromEntries(names.map((name, index) => [name, `value${index}`]))
    given.ASSENT_HOME = machine.path('~/state')

    const { report } = await doctor(machine, [], {}, given)

    expect(report.clients[0]?.problems.join()).toContain(`error: ${Object.values(given).join(' ')}`)
  })
})

describe('Conductor', () => {
  test.each([
    ['.github/agents/Conductor.agent.md', 'assent init vscode --project'],
    ['~/.config/Code/User/prompts/Conductor.agent.md', 'assent init vscode'],
  ])('[DOCTOR-8] %s without our tools is reported, until init connects it', async (file, command) => {
    const machine = await aMachine({ [file]: orchestraConductor })
    const scope = file.startsWith('~') ? 'user' : 'project'
    await machine.init(['vscode'], { scope, yes: true, rules: false })

    const before = await doctor(machine, ['vscode'], { start: false })
    expect(before.code).toBe(1)
    expect(before.report.clients[0]?.problems).toEqual([
      `The agent ${machine.path(file)} does not use the tools of Assent. Run: ${command}`,
    ])

    await machine.init(['vscode'], { scope, yes: true })
    expect((await doctor(machine, ['vscode'], { start: false })).report.clients[0]?.problems).toEqual([])
  })
})

test('[DOCTOR-9] an entry whose variables select another store is reported', async () => {
  const launch = { ...pathLaunch(thisProgram()), env: { ASSENT_HOME: '/elsewhere' } }
  const machine = await aMachine({ '~/.cursor/mcp.json': entry(launch) })

  const { report } = await doctor(machine, [], { start: false })

  expect(report.clients[0]?.problems.join()).toContain('another store, /elsewhere/assent.db')
})
