// The clients that `assent init` can set up: how each is detected, where its configuration is, and which entry is
// written into it.
//
// How a client handles questions is in call/clients/known-clients.ts; `title` is the key to that table.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@assent/core'
import type { Change } from './edit/change.ts'
import { conductorAgent, cursorRule, habit, habitPart } from './habit.ts'
import { appFolder, type Machine, xdgConfig } from './machine.ts'

export type Scope = 'project' | 'user'

/** A change to make in a file, and its purpose. */
export interface WantedEntry {
  readonly file: string
  readonly change: Change
  readonly purpose: 'server' | 'habit'
}

export interface InitClient {
  readonly id: string
  /** As in the table of known clients. */
  readonly title: string
  readonly commands: readonly string[]
  /** Files and folders whose presence shows that the client is used here. */
  marks(machine: Machine): { readonly home: readonly string[]; readonly repository: readonly string[] }
  /** @param root of the repository; undefined for the user's configuration */
  server(machine: Machine, root: string | undefined): WantedEntry
  /** Undefined if the client has no file for rules. */
  habit(machine: Machine, root: string | undefined): WantedEntry | undefined
  /** Set if the client has only user configuration, whatever the scope. */
  readonly isUserAlone?: true
  /** The remaining manual steps, as text. */
  next(scope: Scope): string
}

const name = 'assent'
/** The call timeout that is written for clients that have such a setting. */
const waitS = 3_600
/** The start-up timeout: npx may have to download the package first. */
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
        // Loaded from the start: an agent that does not search for tools would never find the ones that ask.
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
    // Cursor keeps user rules in its database, so there is no file to write.
    habit: (_machine, root) =>
      root === undefined ? undefined : ownFile(join(root, '.cursor'), 'rules/assent.mdc', cursorRule),
    next: () => 'Turn the server on under Settings, MCP: Cursor leaves new servers off.',
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
        : 'Restart Codex; /mcp shows the server.',
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
        : 'Restart Gemini CLI; /mcp shows the server.',
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
        // This timeout also covers start-up, so it is not an hour; progress notifications extend it.
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
    next: () => 'Restart opencode.',
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

/** With the keys that most clients use. */
function start({ launch }: Machine): { command: string; args: string[] } {
  return { command: launch.command, args: [...launch.args] }
}

function claudeFile({ home, variables }: Machine): string {
  return join(variables.CLAUDE_CONFIG_DIR || home, '.claude.json')
}

/** Zed reads the first of these files that exists. */
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

function entry(file: string, parts: { path: readonly string[]; value: JsonObject; fresh?: JsonObject }): WantedEntry {
  return { file, purpose: 'server', change: { kind: 'entry', form: 'jsonc', ...parts } }
}

function ownFile(folder: string, path: string, text: string): WantedEntry {
  return { file: join(folder, ...path.split('/')), purpose: 'habit', change: { kind: 'file', text } }
}

function block(file: string): WantedEntry {
  return { file, purpose: 'habit', change: { kind: 'block', text: habitPart } }
}
