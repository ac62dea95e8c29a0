import { chmodSync, existsSync, linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { knownClients } from '../../call/clients/known-clients.ts'
import { awaitTool } from '../../call/route/await-answer.ts'
import { clientNames } from '../../program/init-options.ts'
import { assent } from '../../program/process.suite.ts'
import { initClients } from './clients.ts'
import { findClients } from './detect.ts'
import { pathLaunch, thisProgram } from './launch.ts'
import { aFullMachine, aMachine, treeOf } from './machine.suite.ts'
import { thisMachine } from './machine.ts'

const all = initClients.map(({ id }) => id)

test('[INIT-1] the help lists the clients of the table, and each is a known client', () => {
  expect(all).toEqual([...clientNames])
  for (const { title } of initClients) expect(knownClients.map((one) => one.title)).toContain(title)
})

describe('finding', () => {
  test('[INIT-1] on an empty machine no client is found, and the command reports that', async () => {
    const machine = await aMachine()
    const result = await machine.init([], { yes: true })

    expect(result.code).toBe(1)
    expect(result.out).toContain('No supported client')
    expect(Object.keys(treeOf(machine))).toEqual(['work', 'work/project', 'work/project/.git'])
  })

  test.each([
    ['~/.config/Code/User/settings.json', 'vscode'],
    ['.vscode/settings.json', 'vscode'],
    ['~/.claude.json', 'claude-code'],
    ['CLAUDE.md', 'claude-code'],
    ['~/.cursor/argv.json', 'cursor'],
    ['.cursorrules', 'cursor'],
    ['~/.codex/auth.json', 'codex'],
    ['.codex/config.toml', 'codex'],
    ['~/.gemini/oauth_creds.json', 'gemini-cli'],
    ['GEMINI.md', 'gemini-cli'],
    ['~/.config/Claude/window-state.json', 'claude-desktop'],
    ['~/.config/goose/config.yaml', 'goose'],
    ['.goosehints', 'goose'],
    ['~/.config/zed/settings.json', 'zed'],
    ['.zed/tasks.json', 'zed'],
    ['~/.config/opencode/opencode.json', 'opencode'],
    ['opencode.json', 'opencode'],
  ])('[INIT-1] %s shows that %s is used', async (file, id) => {
    const { repository, variables } = await aMachine({ [file]: '' })

    expect(findClients(thisMachine(variables, repository, 'linux')).map(({ client }) => client.id)).toEqual([id])
  })

  test('[INIT-1] clients are also found by a program on the PATH, and by their Windows and macOS paths', async () => {
    const { repository, variables, home } = await aMachine({ '~/bin/zeditor': '', '~/AppData/Roaming/Code/User/a': '' })
    const found = (platform: NodeJS.Platform, PATH: string) =>
      findClients(thisMachine({ ...variables, PATH }, repository, platform)).map(({ client }) => client.id)

    expect(found('linux', `${home}/bin`)).toEqual(['zed'])
    expect(found('linux', '/nowhere')).toEqual([])
    expect(found('win32', '')).toEqual(['vscode'])
    const mac = thisMachine({ HOME: '/h' }, '/h', 'darwin')
    expect(initClients[0]?.server(mac, undefined).file).toBe('/h/Library/Application Support/Code/User/mcp.json')
    const desktop = initClients.find(({ id }) => id === 'claude-desktop')
    const windows = thisMachine({ HOME: '/h', APPDATA: '/h/roaming' }, '/h', 'win32')
    expect(desktop?.server(mac, undefined).file).toBe(
      '/h/Library/Application Support/Claude/claude_desktop_config.json',
    )
    expect(desktop?.server(windows, undefined).file).toBe('/h/roaming/Claude/claude_desktop_config.json')
  })
})

describe.each([
  ['project', (text: string) => text],
  ['user', (text: string) => text],
  ['project', (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
] as const)('all clients in %s scope', (scope, lay) => {
  test('[INIT-2] [INIT-3] [INIT-4] clients are set up once, and undo restores every file byte for byte', async () => {
    const machine = await aFullMachine(lay)
    const before = treeOf(machine)

    const first = await machine.init([], { scope, yes: true })
    const set = treeOf(machine)
    const second = await machine.init([], { scope, yes: true })

    expect(first.code).toBe(0)
    expect(Object.values(set)).not.toEqual(Object.values(before))
    expect(second).toMatchObject({ code: 0, err: '' })
    expect(second.out).toContain('Everything is set up already')
    expect(treeOf(machine)).toEqual(set)

    expect((await machine.init([], { scope, undo: true, yes: true })).code).toBe(0)
    expect(treeOf(machine)).toEqual(before)
    expect(existsSync(machine.path('~/.local/state/assent/init.json'))).toBe(false)
    expect((await machine.init([], { scope, undo: true, yes: true })).out).toContain('nothing')
  })

  test('[INIT-4] undo of one client at a time, in any order, restores every file', async () => {
    const machine = await aFullMachine(lay)
    const before = treeOf(machine)

    for (const id of all) expect((await machine.init([id], { scope, yes: true })).code).toBe(0)
    for (const id of [...all.slice(3), ...all.slice(0, 3)]) {
      expect((await machine.init([id], { scope, undo: true, yes: true })).code, id).toBe(0)
    }

    expect(treeOf(machine)).toEqual(before)
  })
})

test('[INIT-2] without existing files, each client gets its own format, with a long timeout if it has one', async () => {
  const machine = await aMachine()

  await machine.init(all, { yes: true })

  const { command, args } = pathLaunch(thisProgram())
  const launch = { command, args }
  expect(JSON.parse(machine.read('.vscode/mcp.json'))).toEqual({ servers: { assent: { type: 'stdio', ...launch } } })
  expect(JSON.parse(machine.read('.mcp.json'))).toEqual({
    mcpServers: { assent: { type: 'stdio', ...launch, timeout: 3_600_000, alwaysLoad: true } },
  })
  expect(JSON.parse(machine.read('.cursor/mcp.json'))).toEqual({ mcpServers: { assent: launch } })
  expect(JSON.parse(machine.read('~/.config/Claude/claude_desktop_config.json'))).toEqual({
    mcpServers: { assent: launch },
  })
  expect(parse(machine.read('.codex/config.toml'))).toEqual({
    mcp_servers: { assent: { ...launch, startup_timeout_sec: 60, tool_timeout_sec: 3_600 } },
  })
  expect(JSON.parse(machine.read('.gemini/settings.json'))).toEqual({
    mcpServers: { assent: { ...launch, timeout: 3_600_000 } },
  })
  expect(parseYaml(machine.read('~/.config/goose/config.yaml'))).toMatchObject({
    extensions: { assent: { enabled: true, type: 'stdio', cmd: command, args, timeout: 3_600 } },
  })
  expect(JSON.parse(machine.read('.zed/settings.json'))).toEqual({
    context_servers: { assent: { ...launch, env: {}, timeout: 3_600 } },
  })
  expect(JSON.parse(machine.read('opencode.json'))).toMatchObject({
    $schema: 'https://opencode.ai/config.json',
    mcp: { assent: { type: 'local', command: [command, ...args], enabled: true } },
  })
})

test('[INIT-7] instructions are written as an agent for VS Code, else as a rule or a shared block', async () => {
  const machine = await aMachine({ 'AGENTS.md': '# How we work\n' })

  await machine.init(all, { yes: true })

  const agent = machine.read('.github/agents/Conductor.agent.md')
  expect(agent).toMatch(/^---\nname: Conductor\n(.*\n)*tools: \[.*'assent\/\*'\]\n---\n/)
  const places = ['.claude/rules/assent.md', '.cursor/rules/assent.mdc', 'AGENTS.md', 'GEMINI.md']
  for (const text of [agent, ...places.map(machine.read)]) {
    for (const tool of [
      'request_plan_approval',
      'request_phase_commit_approval',
      'request_completion_review',
      awaitTool,
    ]) {
      expect(text).toContain(`\`${tool}\``)
    }
  }
  expect(machine.read('AGENTS.md').split('assent:begin')).toHaveLength(2)
  const commands = ['.claude/commands/conductor.md', '.cursor/commands/conductor.md', '.opencode/commands/conductor.md']
  const toml = parse(machine.read('.gemini/commands/conductor.toml')).prompt
  for (const text of [agent, ...commands.map(machine.read), String(toml)]) {
    for (const part of [
      '-plan.md',
      'synopsis',
      '-phase-<number>-complete.md',
      'Report on a cancelled plan',
      'are missing, stop',
    ]) {
      expect(text).toContain(part)
    }
  }
  expect(machine.read('.github/prompts/conductor.prompt.md')).toContain('agent: "Conductor"')
  expect(machine.read('.cursor/rules/assent.mdc')).toContain('alwaysApply: true')
})

test('[INIT-7] --no-rules writes only servers; Zed gets its block in the rules file that it reads', async () => {
  const machine = await aMachine({ '.rules': 'Ours.\n' })

  await machine.init(['vscode', 'codex'], { yes: true, rules: false })
  expect(existsSync(machine.path('.github'))).toBe(false)
  expect(existsSync(machine.path('AGENTS.md'))).toBe(false)

  await machine.init(['zed'], { yes: true })
  expect(machine.read('.rules')).toContain('assent:begin')
})

describe('confirmation', () => {
  test('[INIT-8] --dry-run shows the change and writes nothing, for setup and for undo', async () => {
    const machine = await aFullMachine()
    const before = treeOf(machine)

    const result = await machine.init([], { dryRun: true, diff: true })
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toContain('+     "assent": {')
    expect(treeOf(machine)).toEqual(before)
    expect(existsSync(machine.path('~/.local'))).toBe(false)

    await machine.init([], { yes: true })
    const set = treeOf(machine)
    expect((await machine.init([], { undo: true, dryRun: true })).code).toBe(0)
    expect(treeOf(machine)).toEqual(set)
  })

  test('[INIT-8] files are written only after a yes, not after a no and not without a terminal', async () => {
    const machine = await aFullMachine()
    const before = treeOf(machine)
    const questions: string[] = []
    const person = (answer: boolean) => (question: string) => {
      questions.push(question)
      return answer
    }

    expect(await machine.init([], {}, person(false))).toMatchObject({ code: 0 })
    expect(treeOf(machine)).toEqual(before)
    const withoutTerminal = await machine.init([])
    expect(withoutTerminal.code).toBe(2)
    expect(withoutTerminal.err).toContain('--yes')
    expect(treeOf(machine)).toEqual(before)

    expect(await machine.init([], {}, person(true))).toMatchObject({ code: 0 })
    expect(treeOf(machine)).not.toEqual(before)
    expect(await machine.init([], { undo: true }, person(false))).toMatchObject({ code: 0 })
    expect(treeOf(machine)).not.toEqual(before)
    expect(await machine.init([], { undo: true }, person(true))).toMatchObject({ code: 0 })
    expect(treeOf(machine)).toEqual(before)
    expect(questions.map((one) => one.trim().split(' ')[0])).toEqual(['Write', 'Write', 'Revert', 'Revert'])
  })

  test('[INIT-8] a file that changes while the person decides is not overwritten', async () => {
    const machine = await aMachine({ '.mcp.json': '{}' })

    const result = await machine.init(['claude-code'], {}, () => {
      machine.write('.mcp.json', '{ "mcpServers": {} }')
      return true
    })

    expect(result.code).toBe(1)
    expect(result.err).toContain('it changed while the confirmation was open')
    expect(existsSync(machine.path('.claude'))).toBe(false)
    expect(machine.read('.mcp.json')).toBe('{ "mcpServers": {} }')
  })

  test('[INIT-8] secrets in the lines around a change are not shown', async () => {
    const machine = await aFullMachine()

    const shown = await Promise.all(
      (['project', 'user'] as const).map((scope) => machine.init([], { dryRun: true, diff: true, scope })),
    )

    for (const { out } of shown) for (const secret of ['sw0rdfish', 'ghp_', 'ctx7sk']) expect(out).not.toContain(secret)
  })
})

describe('files that cannot be edited', () => {
  test('[INIT-6] [INIT-13] such a file and its client stay unchanged, others are written, the text to paste is printed', async () => {
    const machine = await aMachine({ '.cursor/mcp.json': '{ broken', '.mcp.json': '{}', '.codex/config.toml': 'a = ' })

    const result = await machine.init(['cursor', 'claude-code', 'codex'], { yes: true })

    expect(result.code).toBe(1)
    for (const file of ['.cursor/rules', '.cursor/commands', 'AGENTS.md']) {
      expect(existsSync(machine.path(file)), file).toBe(false)
    }
    expect(result.out).not.toContain('Turn the server on')
    expect(machine.read('.cursor/mcp.json')).toBe('{ broken')
    expect(machine.read('.codex/config.toml')).toBe('a = ')
    expect(machine.read('.mcp.json')).toContain('"assent"')
    expect(result.out).toContain('Not changed: .cursor/mcp.json: line 1 is not valid JSON')
    expect(result.out).toContain('"mcpServers": {')
    expect(result.out).toContain('[mcp_servers.assent]')
  })

  test('[INIT-13] a shared rules file is written for the clients whose server can be written', async () => {
    const machine = await aMachine({ '.codex/config.toml': 'a = ' })

    expect((await machine.init(['codex', 'opencode'], { yes: true })).code).toBe(1)

    expect(machine.read('AGENTS.md')).toContain('assent:begin')
    await machine.init(['opencode'], { undo: true, yes: true })
    expect(existsSync(machine.path('AGENTS.md'))).toBe(false)
  })

  test('[INIT-6] folders, broken links and files in other encodings are not changed', async () => {
    const machine = await aMachine({ '.gemini/settings.json': '{}' })
    mkdirSync(machine.path('.mcp.json'))
    mkdirSync(machine.path('.cursor'))
    symlinkSync('nowhere', machine.path('.cursor/mcp.json'))
    machine.write('.vscode/mcp.json', '')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(machine.path('.vscode/mcp.json'), Buffer.from('\uFEFF{}', 'utf16le'))
    const before = treeOf(machine)

    const result = await machine.init(['claude-code', 'cursor', 'vscode'], { yes: true, rules: false })

    expect(result.code).toBe(1)
    expect(treeOf(machine)).toEqual(before)
    for (const reason of ['it is not a file', 'a broken link', 'not UTF-8']) expect(result.out).toContain(reason)
  })

  test('[INIT-6] an unreadable record stops the command before anything is written', async () => {
    const machine = await aMachine({ '.mcp.json': '{}', '~/.local/state/assent/init.json': '{ "version": 2 }' })

    await expect(machine.init(['claude-code'], { yes: true })).rejects.toThrow('cannot be read')
    await expect(machine.init(['claude-code'], { undo: true, yes: true })).rejects.toThrow('cannot be read')
    expect(machine.read('.mcp.json')).toBe('{}')
  })
})

describe('links and file modes', () => {
  test('[INIT-9] a symbolic link stays a link; its target is written and keeps its mode', async () => {
    const machine = await aMachine({ '~/dotfiles/mcp.json': '{}\n' })
    mkdirSync(machine.path('~/.cursor'))
    symlinkSync('../dotfiles/mcp.json', machine.path('~/.cursor/mcp.json'))
    chmodSync(machine.path('~/dotfiles/mcp.json'), 0o664)
    const before = treeOf(machine)

    await machine.init(['cursor'], { scope: 'user', yes: true })
    const set = treeOf(machine)
    expect(set['.cursor/mcp.json']).toBe('link to ../dotfiles/mcp.json')
    expect(machine.read('~/dotfiles/mcp.json')).toContain('"assent"')
    expect(statSync(machine.path('~/dotfiles/mcp.json')).mode & 0o777).toBe(0o664)

    await machine.init(['cursor'], { scope: 'user', undo: true, yes: true })
    expect(treeOf(machine)).toEqual(before)
  })

  test('[INIT-9] a hard link shows the change, private files stay private, and no draft is left', async () => {
    const machine = await aMachine({ '~/.claude.json': '{}', '~/shared.json': '{}' })
    chmodSync(machine.path('~/.claude.json'), 0o600)
    mkdirSync(machine.path('~/.cursor'))
    linkSync(machine.path('~/shared.json'), machine.path('~/.cursor/mcp.json'))

    await machine.init(['cursor', 'claude-code'], { scope: 'user', yes: true, rules: false })

    expect(machine.read('~/shared.json')).toContain('"assent"')
    expect(statSync(machine.path('~/.claude.json')).mode & 0o777).toBe(0o600)
    expect(Object.keys(treeOf(machine)).filter((path) => /mcp\.json\.|claude\.json\./.test(path))).toEqual([])
  })

  test('[INIT-9] a backup that only this user can read is kept until undo', async () => {
    const machine = await aMachine({ '~/.claude.json': '{ "secret": 1 }' })

    await machine.init(['claude-code'], { scope: 'user', yes: true })
    const { readdirSync } = await import('node:fs')
    const folder = machine.path('~/.local/state/assent/init-backups')
    const [kept = ''] = readdirSync(folder)
    expect(machine.read(`~/.local/state/assent/init-backups/${kept}`)).toBe('{ "secret": 1 }')
    expect(statSync(`${folder}/${kept}`).mode & 0o077).toBe(0)

    await machine.init(['claude-code'], { scope: 'user', undo: true, yes: true })
    expect(readdirSync(folder)).toEqual([])
  })
})

test('[INIT-8] [INIT-12] the command writes the user’s own files; the project’s only with --project', async () => {
  const machine = await aMachine({ '.mcp.json': '{}', '~/.claude.json': '{}' })
  const run = (...words: string[]) =>
    assent(['init', ...words], { folder: machine.repository, variables: { HOME: machine.home } })

  const [help, wrong, silent] = await Promise.all([run('--help'), run('claude-cod'), run('--yes')])
  expect(help.out).toContain('--undo')
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.err).toContain('Unknown client `claude-cod`. Did you mean claude-code?')
  expect(silent).toMatchObject({ code: 2 })
  expect(silent.out).toContain('1  Claude Code  on this machine and in this repository')
  expect(silent.err).toContain('--client claude-code, or give --all')
  expect(existsSync(machine.path('~/.claude'))).toBe(false)

  expect(await run('--client', 'claude-code', '--yes', '--no-rules')).toMatchObject({ code: 0, err: '' })
  expect(machine.read('~/.claude.json')).toContain('assent')
  expect(machine.read('.mcp.json')).toBe('{}')
  expect(await run('--all', '--project', '--yes')).toMatchObject({ code: 0, err: '' })
  expect(machine.read('.mcp.json')).toContain('assent')
  expect(await run('--undo', '--yes')).toMatchObject({ code: 0, err: '' })
  expect(machine.read('~/.claude.json')).toBe('{}')
  expect((await run('--undo', '--yes')).out).toContain('assent init --undo --project')
  expect(await run('--undo', '--project', '--yes')).toMatchObject({ code: 0, err: '' })
  expect(machine.read('.mcp.json')).toBe('{}')
})
