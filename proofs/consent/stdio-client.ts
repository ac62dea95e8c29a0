// A stdio client with a scripted person.

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installed } from './installed.ts'

export interface Elicitation {
  readonly message: string
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly type?: string }>> }
}

/** What the person answers, and after how long. */
export type Person = (question: Elicitation) => { readonly answer: object; readonly afterMs: number }

export interface ToolResult {
  readonly text: string
  readonly data: Record<string, unknown>
  readonly isError: boolean
}

export interface StdioClient {
  /** The messages that the person was shown. */
  readonly shown: readonly string[]
  call(tool: string, args: object): Promise<ToolResult>
  /** One request, exactly as given. */
  request(method: string, params: object): SentRequest
  notify(method: string, params: object): void
  close(): Promise<void>
}

export interface SentRequest {
  readonly id: number
  readonly reply: Promise<Message>
}

export interface StdioStart {
  readonly program: Installed
  readonly cwd: string
  readonly env: Record<string, string>
  readonly person?: Person
  readonly clientName?: string
  /** By default 2025-11-25; the other revision needs no handshake. */
  readonly revision?: '2025-11-25' | '2026-07-28'
}

export interface Message {
  id?: unknown
  method?: string
  params?: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

export async function startStdioClient({
  program,
  cwd,
  env,
  person,
  clientName = 'proof',
  revision = '2025-11-25',
}: StdioStart): Promise<StdioClient> {
  const child = spawn(process.execPath, [program.main], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const waiting = new Map<unknown, (message: Message) => void>()
  const shown: string[] = []
  let lastId = 0
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answer = async ({ id, params }: Message) => {
    const question = params as Elicitation
    shown.push(question.message)
    const { answer: result, afterMs } = person?.(question) ?? { answer: { action: 'cancel' }, afterMs: 0 }
    await sleep(afterMs)
    write({ id, result })
  }
  createInterface(child.stdout).on('line', (line) => {
    const message = JSON.parse(line) as Message
    if (message.method === 'elicitation/create') void answer(message)
    else if (message.method === undefined) waiting.get(message.id)?.(message)
  })
  const request = (method: string, params: object): SentRequest => {
    const id = ++lastId
    const { promise, resolve, reject } = Promise.withResolvers<Message>()
    waiting.set(id, resolve)
    void ended.then(() => reject(new Error('The program ended.')))
    write({ id, method, params })
    return { id, reply: promise.finally(() => waiting.delete(id)) }
  }
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } }
  const clientInfo = { name: clientName, version: '1' }
  if (revision === '2025-11-25') {
    await request('initialize', { protocolVersion: revision, capabilities, clientInfo }).reply
    write({ method: 'notifications/initialized' })
  }
  return {
    shown,
    call: async (name, args) => resultOf(await request('tools/call', { name, arguments: args }).reply),
    request,
    notify: (method, params) => write({ method, params }),
    close: () => closed(child),
  }
}

function resultOf({ result, error }: Message): ToolResult {
  if (result === undefined) return { text: error?.message ?? '', data: {}, isError: true }
  const content = (result.content ?? []) as readonly { readonly text?: string }[]
  return {
    text: content.map(({ text }) => text ?? '').join('\n'),
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
    isError: result.isError === true,
  }
}

async function closed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await gone
  clearTimeout(timer)
}
