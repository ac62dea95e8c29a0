// A client that starts `assent` in a project, as a coding agent does, for pictures of its questions.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { freePort } from '../../test-kit/listen.ts'

const execute = promisify(execFile)
export const program = [
  '--conditions=assent-source',
  fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url)),
]
/** Longer than all pictures take. */
const timeoutMs = 600_000
const inboxWithinMs = 60_000

/** Where a person's agents run: a folder of Assent, and the address of its inbox. */
export interface AgentHome {
  readonly env: Readonly<Record<string, string>>
}

export async function agentHome(folder: string): Promise<AgentHome> {
  const variables = { ASSENT_HOME: join(folder, 'home'), ASSENT_LISTEN: `127.0.0.1:${await freePort()}` }
  return { env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...variables } }
}

export interface AgentClient {
  /** Waits for the result. */
  call(tool: string, args: object): Promise<void>
  /** Calls a tool that asks. Never answered: the pictures show the open question. */
  ask(tool: string, args: object): void
  close(): Promise<void>
}

/** @param name that the client declares */
export async function startAgent(name: string, project: string, { env }: AgentHome): Promise<AgentClient> {
  const client = new Client({ name, version: '2.0.0' }, { capabilities: {} })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: program, env, cwd: project }))
  const call = async (tool: string, args: object) => {
    await client.callTool({ name: tool, arguments: { ...args } }, undefined, { timeout: timeoutMs })
  }
  return {
    call,
    ask: (tool, args) => void call(tool, args).catch(() => undefined),
    close: () => client.close(),
  }
}

/** A link that signs in; it works once. Waits until an agent serves the inbox. */
export async function signInLink(project: string, { env }: AgentHome): Promise<string> {
  const giveUpAtMs = performance.now() + inboxWithinMs
  for (;;) {
    try {
      const { stdout } = await execute(process.execPath, [...program, 'inbox', 'link'], { cwd: project, env })
      return stdout.trim()
    } catch (error) {
      if (performance.now() > giveUpAtMs) throw error
    }
  }
}

export function writeProject(project: string, branch: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(project)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], {
      cwd: project,
      stdio: 'ignore',
    })
  git('init', '-b', branch)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  git('add', '-A')
  git('commit', '-m', 'chore: begin')
}
