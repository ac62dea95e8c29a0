// Implements `assent servers` and prints its result.
//
// Server output is untrusted: it cannot move the cursor, colour a line or imitate a line of ours, and configured
// secrets are redacted.

import { compact } from '@assent/core'
import { redactor, secretsOf } from '../config/redact.ts'
import type { Config } from '../config/settings.ts'
import { expectedOrigin } from '../http/listen.ts'
import { safeJson, safeLine } from '../inbox/terminal/safe-json.ts'
import { relayLimits } from '../limits.ts'
import { type CheckedServer, type CheckOptions, checkServers } from '../servers/check-servers.ts'
import { applyLimits } from './apply-limits.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { serversOf } from './reloadable.ts'
import { handleSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'
import { serversText as text } from './text/configuration.ts'

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
    terminal.out(text.usable(working, servers.length))
  }
  return isOk ? exitCodes.ok : exitCodes.problem
}

/** Stops early, and stops its servers, if this process receives a stop signal. */
export async function checkedServers(config: Config, onTools?: CheckOptions['onTools']): Promise<CheckedServer[]> {
  applyLimits(config)
  const stopping = new AbortController()
  const signals = handleSignals(undefined)
  void signals.stop.then(() => stopping.abort())
  const redact = redactor(secretsOf(config))
  try {
    const checked = await checkServers(serversOf(config), {
      askWaitMs: config.asks.wait ?? relayLimits.askWaitMs,
      signal: stopping.signal,
      ...compact({ onTools }),
      // A server with secrets needs these variables to start. This check serves no secret pages; the token is invalid.
      secretsOf: (server) => ({
        ASSENT_SECRETS_URL: config.inbox.url?.origin ?? expectedOrigin(config.listen),
        ASSENT_SECRETS_TOKEN: `${server}:check`,
      }),
    })
    return checked.map((one) => (one.ok ? one : { ...one, reason: redact(one.reason).slice(0, reasonChars) }))
  } finally {
    signals.remove()
  }
}

/** @param what the prefix of each name */
export function serverLines(servers: readonly CheckedServer[], { isOutColoured }: Terminal, what = ''): string[] {
  const width = Math.max(0, ...servers.map(({ name }) => name.length))
  return servers.map((one) => {
    const name = `${what}${one.name}:${' '.repeat(width - one.name.length)}`
    if (!one.ok) return `${toned(isOutColoured, 'red', 'error')} ${name} ${safeLine(one.reason)}`
    const hidden = one.hiddenTools === 0 ? '' : text.notOffered(one.hiddenTools)
    const short = one.shortened === undefined ? '' : text.shortNames(one.shortened.length)
    const tools = `${text.tools(one.tools)}${hidden}${short}`
    const how = text.ready(safeLine(one.revision), text.transports[one.transport], tools, one.startMs)
    return `${toned(isOutColoured, 'green', 'ok'.padEnd(5))} ${name} ${how}`
  })
}
