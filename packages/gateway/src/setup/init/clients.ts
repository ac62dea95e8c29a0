// The clients that `assent init` can set up: how each is detected, where its configuration is, and which entry is
// written into it.
//
// How a client handles questions is in call/clients/known-clients.ts; `title` is the key to that table.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@assent/core'
import {
  claudeDesktopFolder,
  claudeFile,
  codexHome,
  conductorFile,
  gooseFolder,
  zedFolder,
  zedRules,
} from './client-folders.ts'
import { conductorFiles } from './conductor-files.ts'
import type { Change } from './edit/change.ts'
import { codeFolder, type Machine, xdgConfig } from './machine.ts'
import { clientTitles, extensionDescription, nextSteps } from './text/clients.ts'
import { conductorAgent, conductorCommand, conductorName, conductorPrompt, conductorToml } from './text/conductor.ts'
import { agentBlock, cursorRule, rulesBlock, rulesFile } from './text/rules.ts'

export type Scope = 'project' | 'user'

/** A change to make in a file, and its purpose. */
export interface WantedEntry {
  readonly file: string
  readonly change: Change
  readonly purpose: 'server' | 'rules' | 'agent' | 'command'
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
  /** The files besides the server's entry: rules or an agent, and the command `/conductor` if the client has commands. */
  rules(machine: Machine, root: string | undefined): readonly WantedEntry[]
  /** Set if the client has only user configuration, whatever the scope. */
  readonly isUserAlone?: true
  /** Set if the client has custom agents, so that it may have a Conductor. */
  readonly hasConductor?: true
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
    title: clientTitles.vscode,
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
    rules: conductorForCode,
    hasConductor: true,
    next: () => nextSteps.vscode,
  },
  {
    id: 'claude-code',
    title: clientTitles.claudeCode,
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
    rules: ({ home, variables }, root) => {
      const folder = root === undefined ? variables.CLAUDE_CONFIG_DIR || join(home, '.claude') : join(root, '.claude')
      return [
        ownFile('rules', join(folder, 'rules', 'assent.md'), rulesFile),
        ownFile('command', join(folder, 'commands', 'conductor.md'), conductorCommand),
      ]
    },
    next: (scope) => nextSteps.claudeCode[scope],
  },
  {
    id: 'claude-desktop',
    title: clientTitles.claudeDesktop,
    // It has no program on the PATH.
    commands: [],
    marks: (machine) => ({ home: [claudeDesktopFolder(machine)], repository: [] }),
    isUserAlone: true,
    server: (machine) =>
      entry(join(claudeDesktopFolder(machine), 'claude_desktop_config.json'), {
        path: ['mcpServers', name],
        value: start(machine),
      }),
    // It has no file for instructions; the server sends its own.
    rules: () => [],
    next: () => nextSteps.claudeDesktop,
  },
  {
    id: 'cursor',
    title: clientTitles.cursor,
    commands: ['cursor', 'cursor-agent'],
    marks: ({ home }) => ({ home: [join(home, '.cursor')], repository: ['.cursor', '.cursorrules'] }),
    server: (machine, root) =>
      entry(join(root ?? machine.home, '.cursor', 'mcp.json'), { path: ['mcpServers', name], value: start(machine) }),
    // Cursor keeps user rules in its database, so there is no file for them.
    rules: ({ home }, root) => [
      ...(root === undefined ? [] : [ownFile('rules', join(root, '.cursor', 'rules', 'assent.mdc'), cursorRule)]),
      ownFile('command', join(root ?? home, '.cursor', 'commands', 'conductor.md'), conductorCommand),
    ],
    next: () => nextSteps.cursor,
  },
  {
    id: 'codex',
    title: clientTitles.codex,
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
    // It has no /conductor: its custom prompts are deprecated and have other names.
    rules: (machine, root) => [block(join(root ?? codexHome(machine), 'AGENTS.md'))],
    next: (scope) => nextSteps.codex[scope],
  },
  {
    id: 'gemini-cli',
    title: clientTitles.geminiCli,
    commands: ['gemini'],
    marks: ({ home }) => ({ home: [join(home, '.gemini')], repository: ['.gemini', 'GEMINI.md'] }),
    server: (machine, root) =>
      entry(join(root ?? machine.home, '.gemini', 'settings.json'), {
        path: ['mcpServers', name],
        value: { ...start(machine), timeout: waitS * 1_000 },
      }),
    rules: ({ home }, root) => [
      block(root === undefined ? join(home, '.gemini', 'GEMINI.md') : join(root, 'GEMINI.md')),
      ownFile('command', join(root ?? home, '.gemini', 'commands', 'conductor.toml'), conductorToml),
    ],
    next: (scope) => nextSteps.geminiCli[scope],
  },
  {
    id: 'goose',
    title: clientTitles.goose,
    commands: ['goose'],
    marks: (machine) => ({ home: [gooseFolder(machine)], repository: ['.goosehints', '.goose'] }),
    isUserAlone: true,
    server: (machine) => ({
      file: join(gooseFolder(machine), 'config.yaml'),
      purpose: 'server',
      change: { kind: 'entry', form: 'yaml', path: ['extensions', name], value: gooseExtension(machine) },
    }),
    rules: (machine, root) => [
      block(root === undefined ? join(gooseFolder(machine), '.goosehints') : join(root, 'AGENTS.md')),
    ],
    next: () => nextSteps.goose,
  },
  {
    id: 'zed',
    title: clientTitles.zed,
    commands: ['zed', 'zeditor'],
    marks: (machine) => ({ home: [zedFolder(machine)], repository: ['.zed'] }),
    server: (machine, root) =>
      entry(join(root === undefined ? zedFolder(machine) : join(root, '.zed'), 'settings.json'), {
        path: ['context_servers', name],
        value: { ...start(machine), env: {}, timeout: waitS },
      }),
    rules: (machine, root) => [
      block(root === undefined ? join(zedFolder(machine), 'AGENTS.md') : join(root, zedRules(root))),
    ],
    next: (scope) => nextSteps.zed[scope],
  },
  {
    id: 'opencode',
    title: clientTitles.opencode,
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
    rules: (machine, root) => {
      const folder = join(xdgConfig(machine), 'opencode')
      return [
        block(join(root ?? folder, 'AGENTS.md')),
        ownFile(
          'command',
          join(root === undefined ? folder : join(root, '.opencode'), 'commands', 'conductor.md'),
          conductorCommand,
        ),
      ]
    },
    next: () => nextSteps.opencode,
  },
]

function gooseExtension({ launch }: Machine): JsonObject {
  return {
    enabled: true,
    type: 'stdio',
    name,
    description: extensionDescription,
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

function entry(file: string, parts: { path: readonly string[]; value: JsonObject; fresh?: JsonObject }): WantedEntry {
  return { file, purpose: 'server', change: { kind: 'entry', form: 'jsonc', ...parts } }
}

function ownFile(purpose: WantedEntry['purpose'], file: string, text: string): WantedEntry {
  return { file, purpose, change: { kind: 'file', text } }
}

function block(file: string): WantedEntry {
  return { file, purpose: 'rules', change: { kind: 'block', text: rulesBlock } }
}

/** A Conductor that exists already is patched; a second one would have the same name in the list of agents. */
function conductorForCode(machine: Machine, root: string | undefined): readonly WantedEntry[] {
  const existing = conductorFiles(machine, root)
  const own = root === undefined ? join(machine.home, '.copilot') : join(root, '.github')
  const prompts = root === undefined ? join(codeFolder(machine), 'prompts') : join(root, '.github', 'prompts')
  const agents: WantedEntry[] =
    existing.length === 0
      ? [ownFile('agent', conductorFile(own), conductorAgent)]
      : existing.map(({ file }) => ({ file, purpose: 'agent', change: { kind: 'agent', text: agentBlock } }))
  const command = conductorPrompt(existing[0]?.name ?? conductorName)
  return [...agents, ownFile('command', join(prompts, 'conductor.prompt.md'), command)]
}
