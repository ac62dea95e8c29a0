// A test machine in a temporary folder: a home, a repository and client files; runs `assent init` on it.

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { removeFolder } from '../../../../../test-kit/remove-folder.ts'
import type { InitOptions } from '../../program/init-options.ts'
import { runInit } from '../../program/run-init.ts'
import type { Terminal } from '../../program/terminal.ts'
import { samples } from './configs.corpus.ts'
import type { Program } from './launch.ts'

export interface TestMachine {
  readonly home: string
  readonly repository: string
  readonly variables: NodeJS.ProcessEnv
  path(file: string): string
  read(file: string): string
  write(file: string, text: string): void
  /** In the project and for all found clients, unless the options say otherwise. */
  init(names: readonly string[], options?: Partial<InitOptions>, person?: TestPerson): Promise<Said>
}

/** Answers the confirmation; an object also answers the choice of clients, one line after the other. */
type TestPerson =
  | ((question: string) => boolean)
  | { readonly lines: readonly string[]; readonly confirm: (question: string) => boolean }

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * @param files by path; `~/` is home, everything else is in the repository
 * @param program the program that init runs as; by default this checkout
 */
export async function aMachine(files: Readonly<Record<string, string>> = {}, program?: Program): Promise<TestMachine> {
  const root = await mkdtemp(join(tmpdir(), 'assent-init-'))
  closeAfterTest(() => removeFolder(root))
  const home = join(root, 'home')
  const repository = join(home, 'work', 'project')
  mkdirSync(join(repository, '.git'), { recursive: true })
  const path = (file: string) => (file.startsWith('~/') ? join(home, file.slice(2)) : join(repository, file))
  const variables = { HOME: home, PATH: '' }
  const machine: TestMachine = {
    home,
    repository,
    variables,
    path,
    read: (file) => readFileSync(path(file), 'utf8'),
    write: (file, text) => {
      mkdirSync(dirname(path(file)), { recursive: true })
      writeFileSync(path(file), text)
    },
    init: async (names, options = {}, person) => {
      const result = { out: '', err: '' }
      const terminal = {
        out: (text: string) => {
          result.out += `${text}\n`
        },
        err: (text: string) => {
          result.err += `${text}\n`
        },
        variables,
        isOutColoured: false,
        isErrColoured: false,
        ...terminalOf(person),
      }
      const all =
        names.length === 0 && !('all' in options) && typeof person !== 'object' ? ({ all: true } as const) : {}
      const given = { scope: 'project', rules: true, ...all, ...options } as const
      return { code: await runInit(names, given, terminal, repository, program), ...result }
    },
  }
  for (const [file, text] of Object.entries(files)) machine.write(file, text)
  return machine
}

function terminalOf(person: TestPerson | undefined): Pick<Terminal, 'confirm' | 'ask'> {
  if (person === undefined) return {}
  if (typeof person === 'function') return { confirm: async (question) => person(question) }
  const lines = [...person.lines]
  return { confirm: async (question) => person.confirm(question), ask: async () => lines.shift() }
}

/** Everything in the home folder except our record: contents, modes, links, folders. */
export function treeOf({ home }: TestMachine): Record<string, string> {
  const tree: Record<string, string> = {}
  const walk = (folder: string) => {
    for (const name of readdirSync(join(home, folder)).sort()) {
      const path = join(folder, name)
      if (path === join('.local')) continue
      const info = lstatSync(join(home, path))
      const mode = (info.mode & 0o777).toString(8)
      if (info.isSymbolicLink()) tree[path] = `link to ${readlinkSync(join(home, path))}`
      else if (info.isDirectory()) {
        tree[path] = `folder ${mode}`
        walk(path)
      } else
        tree[path] = `${mode} ${createHash('sha256')
          .update(readFileSync(join(home, path)))
          .digest('hex')}`
    }
  }
  walk('')
  return tree
}

/** All clients, each with a configuration in the home folder and, if it has one there, in the repository. */
export async function aFullMachine(lay = (text: string) => text): Promise<TestMachine> {
  const sampleOf = (client: string, at = 0) => lay(samples.filter((one) => one.client === client)[at]?.text ?? '')
  return aMachine({
    '.vscode/mcp.json': sampleOf('vscode'),
    '.mcp.json': sampleOf('claude-code'),
    '.cursor/mcp.json': sampleOf('cursor'),
    '.codex/config.toml': sampleOf('codex'),
    '.gemini/settings.json': sampleOf('gemini-cli'),
    '.zed/settings.json': sampleOf('zed'),
    'opencode.jsonc': sampleOf('opencode'),
    'AGENTS.md': lay('# How we work\n\nTabs.\n'),
    '~/.config/Code/User/mcp.json': sampleOf('vscode', 1),
    '~/.claude.json': sampleOf('claude-code', 1),
    '~/.config/Claude/claude_desktop_config.json': sampleOf('cursor', 1),
    '~/.cursor/mcp.json': sampleOf('cursor', 1),
    '~/.codex/config.toml': sampleOf('codex', 1),
    '~/.gemini/settings.json': sampleOf('gemini-cli'),
    '~/.config/goose/config.yaml': sampleOf('goose'),
    '~/.config/zed/settings.json': sampleOf('zed', 1),
    '~/.config/opencode/opencode.json': sampleOf('opencode', 1),
  })
}
