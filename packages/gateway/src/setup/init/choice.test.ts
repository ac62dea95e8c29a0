// The choice of clients, and the summary before anything is written.

import { expect, test } from 'vitest'
import { readChoice } from '../../program/init-choice.ts'
import { initClients } from './clients.ts'
import { findClients } from './detect.ts'
import { aFullMachine, aMachine, treeOf } from './machine.suite.ts'
import { thisMachine } from './machine.ts'

test.each([
  ['', []],
  ['  ', []],
  ['1', ['vscode']],
  ['2 4', ['claude-code', 'cursor']],
  ['4,2', ['claude-code', 'cursor']],
  ['1-3', ['vscode', 'claude-code', 'claude-desktop']],
  ['codex zed', ['codex', 'zed']],
  ['CURSOR', ['cursor']],
  ['0', undefined],
  [String(initClients.length + 1), undefined],
  ['3-1', undefined],
  ['1 emacs', undefined],
  ['y', undefined],
])('[INIT-15] the line %j chooses %j', async (line, expected) => {
  const { variables, repository } = await aFullMachine()
  const detected = findClients(thisMachine(variables, repository, 'linux'))
  const read = readChoice(line, detected)

  expect(read.ok ? read.clients.map(({ id }) => id) : undefined).toEqual(expected)
  expect(readChoice('all', detected)).toMatchObject({ clients: detected.map(({ client }) => client) })
})

test('[INIT-15] at a terminal the person chooses from the clients that were found; an invalid line is asked again', async () => {
  const machine = await aFullMachine()
  const confirm = () => true

  const result = await machine.init([], {}, { lines: ['nine', '2'], confirm })

  expect(result).toMatchObject({ code: 0, err: '' })
  expect(result.out).toContain('1  VS Code')
  expect(result.out).toContain('"nine" is not in the list')
  expect(machine.read('.mcp.json')).toContain('"assent"')
  expect(machine.read('.cursor/mcp.json')).not.toContain('"assent"')
})

test.each([[['']], [[]]])('[INIT-15] the lines %j choose nothing, and nothing is written', async (lines) => {
  const machine = await aFullMachine()
  const before = treeOf(machine)
  const confirm = () => {
    throw new Error('There is nothing to confirm.')
  }

  const result = await machine.init([], { yes: true }, { lines, confirm })

  expect(result.code).toBe(0)
  expect(result.out).toContain('Nothing was chosen')
  expect(treeOf(machine)).toEqual(before)
})

test('[INIT-15] without a terminal, a choice or --all, the clients are listed and the command fails', async () => {
  const machine = await aFullMachine()
  const before = treeOf(machine)

  const result = await machine.init([], { yes: true, all: undefined } as object)

  expect(result.code).toBe(2)
  expect(result.out).toContain('Claude Desktop')
  expect(result.err).toContain('--all')
  expect(treeOf(machine)).toEqual(before)
})

test('[INIT-16] the summary has a line per file and no text of the rules; --diff prints that text once', async () => {
  const machine = await aMachine()
  const clients = ['codex', 'gemini-cli', 'zed', 'opencode', 'claude-code']
  const rule = 'Small tasks need no plan.'

  const short = await machine.init(clients, { scope: 'user', dryRun: true })
  expect(short.out).not.toContain(rule)
  expect(short.out).toMatch(/Codex +~\/\.codex\/config\.toml +new: the server assent/)
  expect(short.out).toMatch(/\n +~\/\.codex\/AGENTS\.md +new: rules/)
  expect(short.out.split('\n').length).toBeLessThan(25)

  const full = await machine.init(clients, { scope: 'user', dryRun: true, diff: true })
  expect(full.out.split(rule)).toHaveLength(2)
  expect(full.out).toContain('the same text as in ~/.claude/rules/assent.md')

  await machine.init(clients, { scope: 'user', yes: true })
  const undone = await machine.init([], { scope: 'user', undo: true, yes: true })
  expect(undone.out).not.toContain(rule)
  expect(undone.out).toMatch(/Codex +~\/\.codex\/config\.toml +delete the file/)
  expect(undone.out).toContain('Reverted 13 files.')
})
