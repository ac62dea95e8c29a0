import { existsSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aFullMachine, aMachine } from './machine.suite.ts'

describe('undo after other edits', () => {
  test('[INIT-5] undo removes our part and keeps later edits elsewhere in the file', async () => {
    const machine = await aFullMachine()
    const before = machine.read('.mcp.json')
    await machine.init([], { yes: true })
    const edited = (text: string) => text.replace('"sentry"', '"sentry-eu"')
    machine.write('.mcp.json', edited(machine.read('.mcp.json')))
    machine.write('AGENTS.md', `${machine.read('AGENTS.md')}\nMore rules.\n`)

    expect((await machine.init([], { undo: true, yes: true })).code).toBe(0)

    expect(machine.read('.mcp.json')).toBe(edited(before))
    expect(machine.read('AGENTS.md')).toBe('# How we work\n\nTabs.\n\nMore rules.\n')
  })

  test('[INIT-5] an Assent block that was edited stays and is reported until it is removed by hand', async () => {
    const machine = await aMachine()
    await machine.init(['claude-code', 'vscode'], { yes: true })
    machine.write('.mcp.json', machine.read('.mcp.json').replace(JSON.stringify(process.execPath), '"node"'))
    machine.write('.github/agents/Conductor.agent.md', 'mine')

    const result = await machine.init([], { undo: true, yes: true })
    expect(result.code).toBe(1)
    expect(result.out).toContain('was changed since')
    expect(machine.read('.mcp.json')).toContain('"node"')
    expect(machine.read('.github/agents/Conductor.agent.md')).toBe('mine')
    expect(existsSync(machine.path('.vscode'))).toBe(false)

    for (const file of ['.mcp.json', '.github/agents/Conductor.agent.md']) rmSync(machine.path(file))
    expect((await machine.init([], { undo: true, yes: true })).code).toBe(0)
    expect((await machine.init([], { undo: true, yes: true })).out).toContain('nothing')
  })

  test('[INIT-5] a file that init created stays if another server was added to it, with only that server', async () => {
    const machine = await aMachine()
    await machine.init(['cursor', 'opencode'], { yes: true, rules: false })
    machine.write(
      '.cursor/mcp.json',
      machine.read('.cursor/mcp.json').replace('"mcpServers": {', '"mcpServers": {\n    "a": { "command": "a" },'),
    )
    machine.write('opencode.json', `${machine.read('opencode.json')}\n`)

    await machine.init([], { undo: true, yes: true })

    expect(machine.read('.cursor/mcp.json')).toBe('{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n')
    expect(existsSync(machine.path('opencode.json'))).toBe(false)
  })

  test('[INIT-4] undo keeps what another client or another repository still needs', async () => {
    const machine = await aMachine({ 'AGENTS.md': 'Ours.\n', '~/.config/goose/config.yaml': 'GOOSE_MODE: auto\n' })
    await machine.init(['codex', 'goose'], { yes: true })
    await machine.init(['goose'], { scope: 'user', yes: true })

    await machine.init(['codex'], { undo: true, yes: true })
    expect(machine.read('AGENTS.md')).toContain('assent:begin')
    const result = await machine.init(['goose'], { undo: true, yes: true })
    expect(result.out).toContain('stays, because it is also used by goose for you')
    expect(machine.read('AGENTS.md')).toBe('Ours.\n')
    expect(machine.read('~/.config/goose/config.yaml')).toContain('assent')

    await machine.init([], { scope: 'user', undo: true, yes: true })
    expect(machine.read('~/.config/goose/config.yaml')).toBe('GOOSE_MODE: auto\n')
  })

  test('[INIT-4] after a crash between record and file, undo changes nothing and nothing is lost', async () => {
    const machine = await aMachine({ '.mcp.json': '{}' })
    await machine.init(['claude-code'], { yes: true, rules: false })
    machine.write('.mcp.json', '{}')

    expect(await machine.init([], { undo: true, yes: true })).toMatchObject({ code: 0 })
    expect(machine.read('.mcp.json')).toBe('{}')
  })
})
