// Symbolic links in a repository or a home folder that point outside of it.

import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aMachine, treeOf } from './machine.suite.ts'

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

test.each([
  ['codex', 'AGENTS.md', '~/.bashrc'],
  ['vscode', '.vscode/mcp.json', '~/secret.json'],
  ['claude-code', '.mcp.json', '~/secret.json'],
  ['gemini-cli', 'GEMINI.md', '~/.bashrc'],
])(
  '[INIT-10] %s: a link %s to %s is refused with its real path, and its target is not written',
  async (client, file, target) => {
    const machine = await aMachine({ '~/.bashrc': 'umask 077\n', '~/secret.json': '{ "a": 1 }' })
    link(machine.path(file), machine.path(target))
    const before = treeOf(machine)

    const result = await machine.init([client], { yes: true })

    expect(result.code).toBe(1)
    expect(result.out).toContain(`its real path is ${machine.path(target)}, outside the repository`)
    expect(machine.read(target)).toBe(target === '~/.bashrc' ? 'umask 077\n' : '{ "a": 1 }')
    expect(treeOf(machine)[join('work/project', file)]).toBe(before[join('work/project', file)])
  },
)

test.each([
  ['vscode', '.github', '~'],
  ['claude-code', '.claude', '~/.claude'],
  ['cursor', '.cursor', '~/elsewhere'],
])('[INIT-10] %s: nothing is written through the folder link %s to %s', async (client, folder, target) => {
  const machine = await aMachine({ '~/.claude/settings.json': '{}' })
  mkdirSync(machine.path('~/elsewhere'))
  link(machine.path(folder), target.replace('~', machine.home))
  const before = treeOf(machine)

  const result = await machine.init([client], { yes: true })

  expect(result.code).toBe(1)
  expect(result.out).toContain('outside the repository')
  const made = Object.keys(treeOf(machine)).filter((path) => !(path in before) && !path.startsWith('work/project'))
  expect(made).toEqual([])
})

test('[INIT-10] a link into .git and a broken link are refused', async () => {
  const machine = await aMachine({ '.git/hooks/pre-commit': '#!/bin/sh\n' })
  link(machine.path('AGENTS.md'), '.git/hooks/pre-commit')
  link(machine.path('.vscode'), 'nowhere')

  const result = await machine.init(['codex', 'vscode'], { yes: true })

  expect(result.code).toBe(1)
  expect(result.out).toContain("in git's own folder")
  expect(result.out).toContain('a broken link')
  expect(machine.read('.git/hooks/pre-commit')).toBe('#!/bin/sh\n')
  expect(existsSync(machine.path('nowhere'))).toBe(false)
})

test('[INIT-10] a link within the repository is followed, and its real path is printed', async () => {
  const machine = await aMachine({ 'docs/agents.md': '# Ours\n' })
  link(machine.path('AGENTS.md'), 'docs/agents.md')
  const before = treeOf(machine)

  const result = await machine.init(['codex'], { yes: true })
  expect(result.code).toBe(0)
  expect(result.out).toContain(`(real path: ${machine.path('docs/agents.md')})`)
  expect(machine.read('docs/agents.md')).toContain('assent:begin')

  const undone = await machine.init(['codex'], { undo: true, yes: true })
  expect(undone.out).toContain(`real path: ${machine.path('docs/agents.md')}`)
  expect(treeOf(machine)).toEqual(before)
})

test('[INIT-10] in user scope, targets must be in the home or in a folder that the user configured', async () => {
  const machine = await aMachine()
  const outside = join(machine.home, '..', 'outside')
  mkdirSync(outside)
  link(machine.path('~/.cursor'), outside)
  const result = await machine.init(['cursor'], { scope: 'user', yes: true })
  expect(result.code).toBe(1)
  expect(result.out).toContain('outside your home folder')
  expect(existsSync(join(outside, 'mcp.json'))).toBe(false)

  machine.variables.CODEX_HOME = join(outside, 'codex')
  expect((await machine.init(['codex'], { scope: 'user', yes: true })).code).toBe(0)
  expect(existsSync(join(outside, 'codex/config.toml'))).toBe(true)
})

test('[INIT-10] a link that is created while the person decides is not followed', async () => {
  const machine = await aMachine({ '.mcp.json': '{}', '~/secret.json': '{}' })
  const result = await machine.init(['claude-code'], { rules: false }, () => {
    rmSync(machine.path('.mcp.json'))
    symlinkSync(machine.path('~/secret.json'), machine.path('.mcp.json'))
    return true
  })
  expect(result.code).toBe(1)
  expect(result.err).toContain('was not written')
  expect(machine.read('~/secret.json')).toBe('{}')
})

test('[INIT-10] undo does not follow a link that points outside the repository either', async () => {
  const machine = await aMachine({ 'AGENTS.md': '# Ours\n', '~/.bashrc': '' })
  await machine.init(['codex'], { yes: true })
  renameSync(machine.path('AGENTS.md'), machine.path('~/notes.md'))
  symlinkSync(machine.path('~/notes.md'), machine.path('AGENTS.md'))
  const text = machine.read('~/notes.md')

  const result = await machine.init(['codex'], { undo: true, yes: true })

  expect(result.code).toBe(1)
  expect(result.out).toContain(`its real path is ${machine.path('~/notes.md')}, outside the repository`)
  expect(machine.read('~/notes.md')).toBe(text)
})
