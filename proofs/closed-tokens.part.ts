// Whoever comes with a token that must let nobody in, and whoever comes with a good one.

import type { Cell } from './closed-house.part.ts'
import type { Span } from './closed-stalls.part.ts'

interface Trespass {
  /** What came of those that were not refused. */
  readonly admitted: readonly string[]
  /** When each waited. */
  readonly waits: readonly Span[]
}

const message = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stranger', version: '1' } },
})

/** Tries every token that lets nobody in. */
export async function trespass({ url, issuer }: Cell, patienceMs: number): Promise<Trespass> {
  if (issuer === undefined) return { admitted: [], waits: [] }
  const bad = Object.entries(await issuer.bad())
  const tried = bad.map(async ([kind, token]) => {
    const fromMs = Date.now()
    const status = await statusFor(url, token, patienceMs)
    const isRefused = status === undefined || [401, 403, 503].includes(status)
    return {
      wait: { fromMs, untilMs: Date.now() },
      admitted: isRefused ? [] : [`a token ${kind} was answered with ${status}`],
    }
  })
  const ends = await Promise.all(tried)
  return { admitted: ends.flatMap(({ admitted }) => admitted), waits: ends.map(({ wait }) => wait) }
}

/** Whether whoever has a good token is let in, where tokens are asked for. */
export async function isAdmitted({ url, issuer }: Cell): Promise<boolean> {
  return issuer === undefined || (await statusFor(url, await issuer.good(), 5_000)) === 200
}

/** Undefined when the connection broke, or nothing came in time. */
async function statusFor(url: string, token: string, withinMs: number): Promise<number | undefined> {
  const accept = 'application/json, text/event-stream'
  const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' }
  try {
    const signal = AbortSignal.timeout(withinMs)
    const response = await fetch(url, { method: 'POST', headers, body: message, signal })
    await response.text()
    return response.status
  } catch {
    return undefined
  }
}
