// The clients, each with the exact version that is run, and how it is started without a person at a terminal.
//
// Nothing here configures our server: that is what `assent init` writes. The arguments and variables only point the
// client at the fake model and stop its own questions about permissions, trust and updates.

import { join } from 'node:path'
import { anthropicApi } from './model/anthropic.ts'
import { geminiApi } from './model/gemini.ts'
import { openaiApi } from './model/openai.ts'
import type { ModelApi, ScriptedCall } from './model/script.ts'

export interface Client {
  /** As `assent init` names it. */
  readonly id: string
  /** As in the table of known clients. */
  readonly title: string
  readonly package: string
  readonly version: string
  /** Its program for Node, below `node_modules` of the folder where it is installed. */
  readonly script: string
  readonly api: ModelApi
  /** A call of one of its own tools, for a model that waits for ours. */
  readonly work: ScriptedCall
  /** Files in its home folder that a user of this client already has when they run `assent init`, as JSON. */
  readonly files?: Readonly<Record<string, object>>
  start(model: string): { readonly args: readonly string[]; readonly variables: Readonly<Record<string, string>> }
}

const prompt = 'Go.'

export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.328',
    script: join('@anthropic-ai', 'claude-code', 'cli-wrapper.cjs'),
    api: anthropicApi,
    work: { tool: 'Bash', args: { command: 'sleep 1', description: 'Wait' } },
    start: (model) => ({
      args: ['-p', prompt, '--permission-mode', 'bypassPermissions', '--output-format', 'json'],
      variables: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        // It refuses to skip its permissions as root, unless this is set.
        IS_SANDBOX: '1',
      },
    }),
  },
  {
    id: 'codex',
    title: 'Codex',
    package: '@openai/codex',
    version: '0.169.0',
    script: join('@openai', 'codex', 'bin', 'codex.js'),
    api: openaiApi,
    work: { tool: 'exec_command', args: { cmd: 'sleep 1' } },
    start: (model) => {
      const provider = `{name="fake",base_url="${model}/v1",wire_api="responses",env_key="FAKE_KEY",request_max_retries=0,stream_max_retries=0}`
      const settings = ['model="gpt-fake"', 'model_provider="fake"', `model_providers.fake=${provider}`]
      return {
        args: ['exec', '--skip-git-repo-check', ...settings.flatMap((one) => ['-c', one]), prompt],
        variables: { FAKE_KEY: 'none' },
      }
    },
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    script: join('@google', 'gemini-cli', 'bundle', 'gemini.js'),
    api: geminiApi,
    work: { tool: 'run_shell_command', args: { command: 'sleep 1' } },
    files: {
      [join('.gemini', 'settings.json')]: {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      },
    },
    start: (model) => ({
      // Without a model it first asks one which model to use.
      args: ['-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro'],
      variables: {
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_API_KEY: 'none',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        // Otherwise it starts itself again as a child.
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
    }),
  },
]
