// Starts a configured server as its client would, and tries both generations of the protocol with it.
//
// Each generation gets a separate process: a server may exit when it receives a request of the other generation.

import { type JsonObject, oneLine } from '@assent/core'
import { type Redact, redactor, secretsOfServer } from '../../config/redact.ts'
import { isReply, type Message, type Reply, stringAt } from '../../protocol/messages.ts'
import { metaKeys, revision as newest } from '../../protocol/names-2026-07-28.ts'
import { BackOff } from '../../servers/back-off.ts'
import type { StdioServer } from '../../servers/stdio-server.ts'
import { StdioTransport } from '../../servers/stdio-transport.ts'
import { doctorLimits } from '../limits.ts'
import { launchText } from './text/checks.ts'

export type RevisionCheck =
  | { readonly ok: true; readonly revision: string; readonly tools: readonly string[]; readonly tookMs: number }
  /** `isLate`: the time for all checks was over. */
  | { readonly ok: false; readonly isLate: boolean; readonly because: string }

export interface LiveProbe {
  /** The revisions with sessions, which all clients support. */
  readonly sessions: RevisionCheck
  /** 2026-07-28, which some clients support. */
  readonly stateless: RevisionCheck
}

const older = '2025-11-25'
const info = { name: 'assent-doctor', version: '1' }

export interface LaunchRequest {
  /** As configured: its variables and arguments may contain secrets, which are not printed. */
  readonly server: StdioServer & { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  /** The variables that the client would pass on. */
  readonly inherited: Readonly<Record<string, string>>
  /** When to give up, by `performance.now()`. */
  readonly untilMs: number
}

export async function checkLaunch(request: LaunchRequest): Promise<LiveProbe> {
  const sessions = await check(request, bySession)
  // A server that timed out once would time out again.
  if (!sessions.ok && sessions.isLate) return { sessions, stateless: sessions }
  return { sessions, stateless: await check(request, byDiscovery) }
}

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>
interface Connection {
  readonly ask: Ask
  notify(method: string): Promise<void>
}

async function bySession({ ask, notify }: Connection): Promise<{ revision: string; tools: string[] }> {
  const hello = await ask('initialize', { protocolVersion: older, capabilities: { elicitation: {} }, clientInfo: info })
  await notify('notifications/initialized')
  return { revision: stringAt(hello, 'protocolVersion') ?? 'none', tools: toolNames(await ask('tools/list', {})) }
}

async function byDiscovery({ ask }: Connection): Promise<{ revision: string; tools: string[] }> {
  const _meta = { [metaKeys.version]: newest, [metaKeys.capabilities]: { elicitation: {} }, [metaKeys.info]: info }
  const { supportedVersions } = await ask('server/discover', { _meta })
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(newest))
    throw new Error(`It does not support ${newest}.`)
  return { revision: newest, tools: toolNames(await ask('tools/list', { _meta })) }
}

class TooLate extends Error {}

async function check(
  { server, inherited, untilMs }: LaunchRequest,
  probe: (connection: Connection) => Promise<{ revision: string; tools: string[] }>,
): Promise<RevisionCheck> {
  const begun = performance.now()
  const waiting = new Map<number, (reply: Reply) => void>()
  const ended = Promise.withResolvers<never>()
  // Prevents an unhandled rejection when no request is waiting.
  ended.promise.catch(() => undefined)
  const stderrLines: string[] = []
  const redact = redactor(secretsOfServer({ cwd: undefined, ...server }))
  const transport = new StdioTransport(
    { ...server, env: { ...inherited, ...server.env } },
    {
      onMessage: (message: Message) => {
        if (isReply(message)) waiting.get(Number(message.id))?.(message)
      },
      // The last lines of stderr may arrive after the process has ended.
      onClosed: (reason) => {
        const end = () => ended.reject(new Error(endText(reason, stderrLines, redact)))
        setTimeout(end, doctorLimits.outputGraceMs)
      },
    },
    (line) => stderrLines.push(line.trim()),
    new BackOff(),
  )
  const timer = setTimeout(
    () => ended.reject(new TooLate(launchText.noResponseYet(relevantLines(stderrLines, redact)))),
    Math.max(0, untilMs - begun),
  )
  let count = 0
  const ask: Ask = async (method, params) => {
    const id = count++
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    await transport.send({ jsonrpc: '2.0', id, method, params })
    const { result, error } = (await Promise.race([reply, ended.promise])) as {
      result?: JsonObject
      error?: JsonObject
    }
    if (result === undefined) throw new Error(`Response to ${method}: ${stringAt(error, 'message') ?? 'nothing'}`)
    return result
  }
  try {
    const found = await probe({ ask, notify: (method) => transport.send({ jsonrpc: '2.0', method }) })
    return { ok: true, ...found, tookMs: Math.round(performance.now() - begun) }
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    return { ok: false, isLate: error instanceof TooLate, because }
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

function toolNames(result: JsonObject): string[] {
  const { tools } = result
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool) => stringAt(tool as JsonObject, 'name') ?? [])
}

/** Without the last lines that the transport appends: the relevant lines are often earlier. */
function endText(reason: string, stderrLines: readonly string[], redact: Redact): string {
  const shown = relevantLines(stderrLines, redact)
  return shown === '' ? reason : `${reason.replace(/ It printed last: .*$/s, '')}${shown}`
}

/** The lines of stderr that most likely explain the failure; the last ones if none stands out. */
function relevantLines(stderrLines: readonly string[], redact: Redact): string {
  const lines = stderrLines.filter((line) => line !== '')
  const relevant = lines.filter((line) => /error|not found|cannot|refused|denied|\bE[A-Z]{4,}\b/i.test(line))
  const { outputLines, outputLineChars: maxChars } = doctorLimits
  // npm repeats its prefix as a line of its own.
  const distinct = relevant.filter((line, index) => !relevant.some((other, at) => at < index && other.startsWith(line)))
  const chosen = distinct.length > 0 ? distinct.slice(0, outputLines) : lines.slice(-outputLines)
  const shown = chosen.map((line) => oneLine(redact(line), 'terminal', { maxChars }))
  return shown.length === 0 ? '' : launchText.output(shown)
}
