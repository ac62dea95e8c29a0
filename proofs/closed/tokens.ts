// Requests with invalid tokens, which must be refused, and with a valid one.

import type { Span } from './stalls.ts'
import type { Cell } from './test-env.ts'

interface Trespass {
  /** Descriptions of tokens that were accepted. */
  readonly admitted: readonly string[]
  /** The waiting time of each request. */
  readonly waits: readonly Span[]
}

const message = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stranger', version: '1' } },
})

/** Tries every invalid token. */
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

/** Whether a valid token is accepted; true if the gateway uses no tokens. */
export async function isAdmitted({ url, issuer }: Cell): Promise<boolean> {
  return issuer === undefined || (await statusFor(url, await issuer.good(), 5_000)) === 200
}

/** Undefined if the connection broke or there was no reply in time. */
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
