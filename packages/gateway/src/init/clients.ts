// The clients that `assent init` knows how to set up: how each is found, where its configuration is, and what ours looks
// like in it.
//
// What a client does with a question is not said here; that is in clients/known-clients.ts, and `title` leads there.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@assent/core'
import type { Change } from './edit/change.ts'
import { conductorAgent, cursorRule, habit, habitPart } from './habit.ts'
import { appFolder, type Machine, xdgConfig } from './machine.ts'

export type Scope = 'project' | 'user'

/** A change to be made in a file, and what it is for. */
export interface Wanted {
  readonly file: string
  readonly change: Change
  readonly purpose: 'server' | 'habit'
}

export interface InitClient {
  readonly id: string
  /** As in the table of known clients. */
  readonly title: string
  readonly commands: readonly string[]
  /** Any of these says that it is used here. */
  marks(machine: Machine): { readonly home: readonly string[]; readonly repository: readonly string[] }
  /** @param root of the repository; undefined for the user's own configuration */
  server(machine: Machine, root: string | undefined): Wanted
  /** Undefined where it has no file for this. */
  habit(machine: Machine, root: string | undefined): Wanted | undefined
  /** Where it can only be set up for the user, whatever the scope. */
  readonly isUserAlone?: true
  /** What is left for the person to do, in words. */
  next(scope: Scope): string
}

const name = 'assent'
/** How long a client shall wait for a person, where it lets us say so. */
const waitS = 3_600
/** npx may have to fetch the package first. */
const startS = 60

export const initClients: readonly InitClient[] = [
  {
    id: 'vscode',
    title: 'VS Code',
    commands: ['code', 'code-insiders'],
    marks: (machine) => ({
      home: [join(machine.home, '.vscode'), join(machine.home, '.vscode-server'), codeFolder(machine)],
      repository: ['.vscode', '.github/agents', '.github/copilot-instructions.md'],
    }),
    server: (machine, root) =>
      entry(root === undefined ? join(codeFolder(machine), 'mcp.json') : join(root, '.vscode', 'mcp.json'), {
        path: ['servers', name],
        value: { type: 'stdio', ...start(machine) },
      }),
    habit: ({ home }, root) =>
      ownFile(
        root === undefined ? join(home, '.copilot') : join(root, '.github'),
        'agents/Conductor.agent.md',
        conductorAgent,
      ),
    next: () => 'Choose the agent Conductor in the chat. VS Code asks once whether the server may start.',
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    commands: ['claude'],
    marks: ({ home }) => ({
      home: [join(home, '.claude'), join(home, '.claude.json')],
      repository: ['.mcp.json', '.claude', 'CLAUDE.md'],
    }),
    server: (machine, root) =>
      entry(root === undefined ? claudeFile(machine) : join(root, '.mcp.json'), {
        path: ['mcpServers', name],
        // The tools that ask must be in sight from the start, not found by a search that nobody makes.
        value: { type: 'stdio', ...start(machine), timeout: waitS * 1_000, alwaysLoad: true },
      }),
    habit: ({ home, variables }, root) =>
      ownFile(
        root === undefined ? variables.CLAUDE_CONFIG_DIR || join(home, '.claude') : join(root, '.claude'),
        'rules/assent.md',
        habit,
      ),
    next: (scope) =>
      scope === 'project'
        ? 'Start `claude` here once and approve the server of this project.'
        : 'Restart `claude`; /mcp shows the server.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    marks: ({ home }) => ({ home: [join(home, '.cursor')], repository: ['.cursor', '.cursorrules'] }),
    server: (machine, root) =>
      entry(join(root ?? machine.home, '.cursor', 'mcp.json'), { path: ['mcpServers', name], value: start(machine) }),
    // A user's own rules are kept in its database.
    habit: (_machine, root) =>
      root === undefined ? undefined : ownFile(join(root, '.cursor'), 'rules/assent.mdc', cursorRule),
    next: () => 'Switch the server on under Settings, MCP: Cursor leaves new ones off until you do.',
  },
  {
    id: 'codex',
    title: 'Codex',
    commands: ['codex'],
    marks: (machine) => ({ home: [codexHome(machine)], repository: ['.codex'] }),
    server: (machine, root) => ({
      file: join(root === undefined ? codexHome(machine) : join(root, '.codex'), 'config.toml'),
      purpose: 'server',
      change: {
        kind: 'entry',
        form: 'toml',
        path: ['mcp_servers', name],
        value: { ...start(machine), startup_timeout_sec: startS, tool_timeout_sec: waitS },
      },
    }),
    habit: (machine, root) => block(join(root ?? codexHome(machine), 'AGENTS.md')),
    next: (scope) =>
      scope === 'project'
        ? 'Codex reads this only in a project that you trust; it asks when it starts here.'
        : 'Start Codex anew; /mcp shows the server.',
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    commands: ['gemini'],
    marks: ({ home }) => ({ home: [join(home, '.gemini')], repository: ['.gemini', 'GEMINI.md'] }),
    server: (machine, root) =>
      entry(join(root ?? machine.home, '.gemini', 'settings.json'), {
        path: ['mcpServers', name],
        value: { ...start(machine), timeout: waitS * 1_000 },
      }),
    habit: ({ home }, root) => block(root === undefined ? join(home, '.gemini', 'GEMINI.md') : join(root, 'GEMINI.md')),
    next: (scope) =>
      scope === 'project'
        ? 'Gemini CLI starts it once you trust this folder; /mcp shows the server.'
        : 'Start Gemini CLI anew; /mcp shows the server.',
  },
  {
    id: 'goose',
    title: 'Goose',
    commands: ['goose'],
    marks: (machine) => ({ home: [gooseFolder(machine)], repository: ['.goosehints', '.goose'] }),
    isUserAlone: true,
    server: (machine) => ({
      file: join(gooseFolder(machine), 'config.yaml'),
      purpose: 'server',
      change: { kind: 'entry', form: 'yaml', path: ['extensions', name], value: gooseExtension(machine) },
    }),
    habit: (machine, root) =>
      block(root === undefined ? join(gooseFolder(machine), '.goosehints') : join(root, 'AGENTS.md')),
    next: () => 'Start a new session of Goose.',
  },
  {
    id: 'zed',
    title: 'Zed',
    commands: ['zed', 'zeditor'],
    marks: (machine) => ({ home: [zedFolder(machine)], repository: ['.zed'] }),
    server: (machine, root) =>
      entry(join(root === undefined ? zedFolder(machine) : join(root, '.zed'), 'settings.json'), {
        path: ['context_servers', name],
        value: { ...start(machine), env: {}, timeout: waitS },
      }),
    habit: (machine, root) =>
      block(root === undefined ? join(zedFolder(machine), 'AGENTS.md') : join(root, zedRules(root))),
    next: (scope) => (scope === 'project' ? 'Zed starts it once you trust this project.' : 'Zed starts it by itself.'),
  },
  {
    id: 'opencode',
    title: 'opencode',
    commands: ['opencode'],
    marks: (machine) => ({
      home: [join(xdgConfig(machine), 'opencode')],
      repository: ['opencode.json', 'opencode.jsonc', '.opencode'],
    }),
    server: (machine, root) => {
      const folder = root ?? join(xdgConfig(machine), 'opencode')
      const file = existsSync(join(folder, 'opencode.jsonc')) ? 'opencode.jsonc' : 'opencode.json'
      return entry(join(folder, file), {
        path: ['mcp', name],
        // Also the time it may take to start, so not an hour; progress makes opencode wait longer.
        value: {
          type: 'local',
          command: [machine.launch.command, ...machine.launch.args],
          enabled: true,
          timeout: 600_000,
        },
        fresh: { $schema: 'https://opencode.ai/config.json' },
      })
    },
    habit: (machine, root) => block(join(root ?? join(xdgConfig(machine), 'opencode'), 'AGENTS.md')),
    next: () => 'Start opencode anew.',
  },
]

function gooseExtension({ launch }: Machine): JsonObject {
  return {
    enabled: true,
    type: 'stdio',
    name,
    description: 'Asks the person: plans, commits, choices',
    cmd: launch.command,
    args: [...launch.args],
    envs: {},
    env_keys: [],
    timeout: waitS,
  }
}

/** In the words that most clients have for it. */
function start({ launch }: Machine): { command: string; args: string[] } {
  return { command: launch.command, args: [...launch.args] }
}

function claudeFile({ home, variables }: Machine): string {
  return join(variables.CLAUDE_CONFIG_DIR || home, '.claude.json')
}

/** Of these Zed reads the first that there is. */
function zedRules(root: string): string {
  const names = [
    '.rules',
    '.cursorrules',
    '.windsurfrules',
    '.clinerules',
    '.github/copilot-instructions.md',
    'AGENT.md',
  ]
  return names.find((one) => existsSync(join(root, one))) ?? 'AGENTS.md'
}

function codeFolder(machine: Machine): string {
  const stable = join(appFolder(machine), 'Code', 'User')
  const insiders = join(appFolder(machine), 'Code - Insiders', 'User')
  return !existsSync(stable) && existsSync(insiders) ? insiders : stable
}

function codexHome({ home, variables }: Machine): string {
  return variables.CODEX_HOME || join(home, '.codex')
}

function gooseFolder(machine: Machine): string {
  if (machine.platform === 'win32') return join(appFolder(machine), 'Block', 'goose', 'config')
  return join(xdgConfig(machine), 'goose')
}

function zedFolder(machine: Machine): string {
  return machine.platform === 'win32' ? join(appFolder(machine), 'Zed') : join(xdgConfig(machine), 'zed')
}

function entry(file: string, parts: { path: readonly string[]; value: JsonObject; fresh?: JsonObject }): Wanted {
  return { file, purpose: 'server', change: { kind: 'entry', form: 'jsonc', ...parts } }
}

function ownFile(folder: string, path: string, text: string): Wanted {
  return { file: join(folder, ...path.split('/')), purpose: 'habit', change: { kind: 'file', text } }
}

function block(file: string): Wanted {
  return { file, purpose: 'habit', change: { kind: 'block', text: habitPart } }
}
