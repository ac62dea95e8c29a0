// What `assent servers` does, and how its result is printed.
//
// What servers send is untrusted: nothing of it can move the cursor, colour a line or look like a line of ours, and the
// values that the configuration keeps secret are replaced.

import { applyLimits } from '../config/apply-limits.ts'
import { serversOf } from '../config/reloadable.ts'
import type { Config } from '../config/settings.ts'
import { expectedOrigin } from '../door/listen.ts'
import { relayLimits } from '../limits.ts'
import { type CheckedServer, checkServers } from '../servers/check-servers.ts'
import { safeJson, safeLine } from '../terminal/safe-json.ts'
import { scrubber, secretsOf } from '../watch/scrub.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { hearSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'

const reasonChars = 2_000

export async function runServers(
  { file, config }: FoundConfig,
  isJson: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const servers = await checkedServers(config)
  const working = servers.filter(({ ok }) => ok).length
  const isOk = working === servers.length
  if (isJson) terminal.out(safeJson({ ok: isOk, file, servers }))
  else {
    for (const line of serverLines(servers, terminal)) terminal.out(line)
    terminal.out(`${working} of ${servers.length} ${servers.length === 1 ? 'server' : 'servers'} can be used.`)
  }
  return isOk ? exitCodes.ok : exitCodes.problem
}

/** Stops early, with its servers, when this process gets a signal to stop. */
export async function checkedServers(config: Config): Promise<CheckedServer[]> {
  applyLimits(config)
  const stopping = new AbortController()
  const signals = hearSignals(undefined)
  void signals.stop.then(() => stopping.abort())
  const scrub = scrubber(secretsOf(config))
  try {
    const checked = await checkServers(serversOf(config), {
      askWaitMs: config.asks.wait ?? relayLimits.askWaitMs,
      signal: stopping.signal,
      // Such a server needs these to start. Nothing answers at the address, and the token is good for nothing.
      secretsOf: (server) => ({
        ASSENT_SECRETS_URL: config.inbox.url?.origin ?? expectedOrigin(config.listen),
        ASSENT_SECRETS_TOKEN: `${server}:check`,
      }),
    })
    return checked.map((one) => (one.ok ? one : { ...one, reason: scrub(one.reason).slice(0, reasonChars) }))
  } finally {
    signals.forget()
  }
}

const transports = {
  stdio: 'stdio',
  'streamable-http': 'Streamable HTTP',
  'http+sse': 'HTTP+SSE',
  'in-process': 'in this process',
} as const

/** @param what stands before each name */
export function serverLines(servers: readonly CheckedServer[], { isOutColoured }: Terminal, what = ''): string[] {
  const width = Math.max(0, ...servers.map(({ name }) => name.length))
  return servers.map((one) => {
    const name = `${what}${one.name}:${' '.repeat(width - one.name.length)}`
    if (!one.ok) return `${toned(isOutColoured, 'red', 'error')} ${name} ${safeLine(one.reason)}`
    const hidden = one.hiddenTools === 0 ? '' : ` (${one.hiddenTools} more not offered)`
    const short = one.shortened === undefined ? '' : `, ${one.shortened.length} with a short name for clients`
    const tools = `${one.tools === 1 ? '1 tool' : `${one.tools} tools`}${hidden}${short}`
    const how = `${safeLine(one.revision)} over ${transports[one.transport]}, ${tools}, ready after ${one.startMs} ms`
    return `${toned(isOutColoured, 'green', 'ok   ')} ${name} ${how}`
  })
}
