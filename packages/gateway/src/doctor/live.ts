// Starts a configured server as its client would, and speaks both generations of the protocol to it.
//
// Each generation gets a process of its own: a server of one may end when it is spoken to in the other.

import type { JsonObject } from '@assent/core'
import { doctorLimits } from '../limits.ts'
import { BackOff } from '../upstream/back-off.ts'
import { type StdioServer, StdioWire } from '../upstream/stdio-wire.ts'
import { isReply, type Message, type Reply, stringAt } from '../wire/messages.ts'
import { metaKeys, revision as newest } from '../wire/words-2026-07-28.ts'

export type Spoken =
  | { readonly ok: true; readonly revision: string; readonly tools: readonly string[]; readonly tookMs: number }
  | { readonly ok: false; readonly because: string }

export interface Live {
  /** The sessionful revisions, which all clients know. */
  readonly sessions: Spoken
  /** 2026-07-28, which some know. */
  readonly stateless: Spoken
}

const older = '2025-11-25'
const info = { name: 'assent-doctor', version: '1' }

export async function speakTo(server: StdioServer): Promise<Live> {
  const sessions = await spoken(server, bySession)
  // Who kept silent once is not waited for a second time.
  if (!sessions.ok && sessions.because === silence) return { sessions, stateless: sessions }
  return { sessions, stateless: await spoken(server, byDiscovery) }
}

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>
interface Line {
  readonly ask: Ask
  tell(method: string): Promise<void>
}

async function bySession({ ask, tell }: Line): Promise<{ revision: string; tools: string[] }> {
  const hello = await ask('initialize', { protocolVersion: older, capabilities: { elicitation: {} }, clientInfo: info })
  await tell('notifications/initialized')
  return { revision: stringAt(hello, 'protocolVersion') ?? 'none', tools: toolNames(await ask('tools/list', {})) }
}

async function byDiscovery({ ask }: Line): Promise<{ revision: string; tools: string[] }> {
  const _meta = { [metaKeys.version]: newest, [metaKeys.capabilities]: { elicitation: {} }, [metaKeys.info]: info }
  const { supportedVersions } = await ask('server/discover', { _meta })
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(newest))
    throw new Error(`It does not speak ${newest}.`)
  return { revision: newest, tools: toolNames(await ask('tools/list', { _meta })) }
}

const silence = `It did not answer within ${doctorLimits.answerMs / 1_000} s.`

async function spoken(
  server: StdioServer,
  talk: (line: Line) => Promise<{ revision: string; tools: string[] }>,
): Promise<Spoken> {
  const begun = performance.now()
  const waiting = new Map<number, (reply: Reply) => void>()
  const ended = Promise.withResolvers<never>()
  // Whoever comes too late to hear it has heard it before.
  ended.promise.catch(() => undefined)
  const said: string[] = []
  const wire = new StdioWire(
    server,
    {
      onMessage: (message: Message) => {
        if (isReply(message)) waiting.get(Number(message.id))?.(message)
      },
      // What it said last may arrive after its end is known.
      onClosed: (reason) => {
        setTimeout(() => ended.reject(new Error(reason + tellingLines(said))), doctorLimits.lastWordsMs)
      },
    },
    (line) => said.push(line.trim()),
    new BackOff(),
  )
  const timer = setTimeout(() => ended.reject(new Error(silence)), doctorLimits.answerMs)
  let count = 0
  const ask: Ask = async (method, params) => {
    const id = count++
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    await wire.send({ jsonrpc: '2.0', id, method, params })
    const { result, error } = (await Promise.race([reply, ended.promise])) as {
      result?: JsonObject
      error?: JsonObject
    }
    if (result === undefined) throw new Error(`To ${method} it answered: ${stringAt(error, 'message') ?? 'nothing'}`)
    return result
  }
  try {
    const found = await talk({ ask, tell: (method) => wire.send({ jsonrpc: '2.0', method }) })
    return { ok: true, ...found, tookMs: Math.round(performance.now() - begun) }
  } catch (error) {
    return { ok: false, because: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
    wire.close()
  }
}

function toolNames(result: JsonObject): string[] {
  const { tools } = result
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool) => stringAt(tool as JsonObject, 'name') ?? [])
}

/** Of what a server said before it ended, what tells most. */
function tellingLines(said: readonly string[]): string {
  const telling = said.filter((line) => /error|not found|cannot|refused|denied/i.test(line)).slice(0, 2)
  const shown = telling.length > 0 ? telling : said.slice(-3)
  return shown.length === 0 ? '' : ` It said: ${shown.join(' / ')}`
}
