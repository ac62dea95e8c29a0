// Implements `assent try`. It is the client of an `assent` process, over the same pipe and with the same tools as an agent.

import { type ChildProcess, spawn } from 'node:child_process'
import type { JsonObject } from '@assent/core'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { awaitTool } from '../call/route/await-answer.ts'
import type { Config } from '../config/settings.ts'
import { standaloneConfig } from '../config/standalone-config.ts'
import { PlayClient } from '../inbox/playground/client-2025-11-25.ts'
import { objectAt } from '../protocol/messages.ts'
import { sleep } from '../protocol/sleep.ts'
import { ownVersion } from '../protocol/version.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings } from './findings.ts'
import { type FoundInbox, linkMinutes, withInbox } from './found-inbox.ts'
import { openOffer } from './inbox-open.ts'
import { handleSignals } from './signals.ts'
import { hasDesktop } from './standalone/desktop.ts'
import { standaloneLimits } from './standalone/limits.ts'
import { openState } from './state.ts'
import { type Terminal, toned } from './terminal.ts'
import { tryText as text } from './text/inbox.ts'

const { question } = text
const tool = 'elicit_confirm'
/** The question is asked in the inbox, and opened by this command. */
const forAgent = { ASSENT_ASKS_SURFACES: 'inbox', ASSENT_DESKTOP_OPEN: 'false', ASSENT_DESKTOP_NOTIFY: 'false' }

export async function runTry(terminal: Terminal): Promise<ExitCode> {
  const { variables, program, isErrColoured, err } = terminal
  const [command, ...args] = program ?? []
  const read = standaloneConfig(variables)
  if (!read.ok) {
    printFindings('environment', read, terminal)
    return exitCodes.problem
  }
  if (command === undefined) throw new Error('The program cannot start itself. Run: npx assent try')
  const strong = (text: string) => toned(isErrColoured, 'bold', text)
  const agent = spawn(command, args, { env: { ...variables, ...forAgent }, stdio: ['pipe', 'pipe', 'inherit'] })
  const signals = handleSignals(undefined)
  const stopped = signals.stop.then(() => undefined)
  const failed = failureOf(agent)
  const client = new PlayClient(agent.stdout, agent.stdin)
  const over = new AbortController()
  try {
    await Promise.race([client.begin(ownVersion(), 'assent-try'), failed])
    err(`${strong('1.')} ${text.asks(question)}`)
    const calling = answered(client)
    const id = await Promise.race([
      openAskId(read.config, terminal, over.signal),
      calling.then(() => undefined),
      failed,
      stopped,
    ])
    if (id !== undefined) await showAsk(id, read.config, terminal, strong)
    const result = await Promise.race([calling, failed, stopped])
    if (result === undefined) {
      err(text.withdrawn)
      return exitCodes.ok
    }
    err(`${strong('3.')} ${text.agentGets}\n\n   ${result}\n`)
  } finally {
    over.abort()
    signals.remove()
    client.close()
    await ended(agent)
  }
  return connect(terminal)
}

/** Asks until the person has answered: the call of an unknown client returns a handle after a while, to ask again with. */
async function answered(client: PlayClient): Promise<string> {
  let call: JsonObject = { name: tool, arguments: { question } }
  for (;;) {
    const reply = await client.request('tools/call', call)
    if ('error' in reply) throw new Error(reply.error.message)
    const details = objectAt(reply.result, 'structuredContent') ?? {}
    if (details.status !== 'pending') return String(details.message ?? textOf(reply.result))
    call = { name: awaitTool, arguments: { ask_id: String(details.askId) } }
  }
}

function textOf(result: JsonObject): string {
  const [first] = Array.isArray(result.content) ? (result.content as JsonObject[]) : []
  return String(first?.text ?? '')
}

/** The id of the sample question, once it is in the inbox. */
async function openAskId(
  config: Config,
  { variables, err }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { store } = await openState(config, variables, { onError: (error) => err(String(error)) })
  try {
    while (!signal.aborted) {
      const { asks } = await store.inbox.page({ tenant: onlyTenant, person: localPerson, show: 'open' })
      const found = asks.find(({ caller }) => caller?.client === 'assent-try')
      if (found !== undefined) return found.id
      await sleep(standaloneLimits.lookAgainMs, signal)
    }
    return undefined
  } finally {
    await store.close()
  }
}

async function showAsk(
  id: string,
  config: Config,
  terminal: Terminal,
  strong: (text: string) => string,
): Promise<void> {
  const { variables, out, err } = terminal
  const show = async (inbox: FoundInbox) => {
    const offer = await inbox.offer(`/asks/${id}`)
    err(`${strong('2.')} ${text.youAnswer}`)
    if (hasDesktop(process.platform, variables)) {
      const problem = await openOffer(offer, terminal).catch((error: unknown) => error)
      if (problem === undefined) return
    }
    err(`   ${text.openLink(linkMinutes)}`)
    out(offer.link)
  }
  // The agent's process serves the inbox; it has just started.
  await withInbox({ config, isStandalone: true }, terminal, show, () => undefined)
}

async function connect(terminal: Terminal): Promise<ExitCode> {
  if (terminal.confirm === undefined || !(await terminal.confirm(text.connect))) {
    terminal.err(text.connectLater)
    return exitCodes.ok
  }
  const { runInit } = await import('./run-init.ts')
  return runInit([], { scope: 'user', rules: true }, terminal)
}

function failureOf(agent: ChildProcess): Promise<never> {
  const failing = new Promise<never>((_, reject) => {
    agent.once('error', reject)
    agent.once('exit', (code) => reject(new Error(`Assent ended with ${code ?? 'a signal'}. Run: assent doctor`)))
  })
  // It also ends when this command is finished.
  failing.catch(() => undefined)
  return failing
}

/** The agent's process ends when its input does. */
async function ended(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return
  await new Promise((resolve) => agent.once('exit', resolve))
}
