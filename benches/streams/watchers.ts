// People with open inbox pages, in a process of their own: each page is one connection that reads the stream of changes.

import { Agent, get, type IncomingMessage } from 'node:http'
import type { ChangeView } from '@assent/core'
import { inboxUrl, signIn } from '../cluster/person.ts'
import { nowMs } from './clock.ts'

export type WatchCommand =
  /** Signs people in, and opens this many pages of each. */
  | { readonly kind: 'open'; readonly url: string; readonly links: readonly string[]; readonly pages: number }
  /** Waits until all pages of a person received the end of this ask, and returns when each did. */
  | { readonly kind: 'await'; readonly ask: string; readonly count: number; readonly withinMs: number }

/** Per ask: when each page received its end. */
const arrivals = new Map<string, number[]>()
const openAtOnce = 50
/** How often a command looks at the arrivals. It does not change their times. */
const lookEveryMs = 20

process.on('disconnect', () => process.exit())
process.on('message', async (command: WatchCommand) => process.send?.(await runCommand(command)))
process.send?.({ url: '' })

async function runCommand(command: WatchCommand): Promise<object> {
  if (command.kind === 'open') return openPages(command)
  const endsAt = nowMs() + command.withinMs
  while ((arrivals.get(command.ask)?.length ?? 0) < command.count && nowMs() < endsAt)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  return { atMs: arrivals.get(command.ask) ?? [] }
}

async function openPages({ url, links, pages }: Extract<WatchCommand, { kind: 'open' }>): Promise<object> {
  const { origin } = new URL(url)
  const signingIn = new Agent({ keepAlive: true, maxSockets: 8 })
  const cookies: string[] = []
  for (const link of links) cookies.push(await signIn(signingIn, origin, link))
  signingIn.destroy()
  const wanted = cookies.flatMap((cookie) => Array.from({ length: pages }, () => cookie))
  for (let at = 0; at < wanted.length; at += openAtOnce)
    await Promise.all(wanted.slice(at, at + openAtOnce).map((cookie) => openPage(origin, cookie)))
  return { open: wanted.length, cookies }
}

/** Resolves with the first event, from which on changes arrive. */
function openPage(origin: string, cookie: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { host: new URL(inboxUrl).host, cookie }
  const request = get(`${origin}/api/changes`, { agent: false, headers }, (response: IncomingMessage) => {
    if (response.statusCode !== 200) reject(new Error(`A page got HTTP status ${response.statusCode}.`))
    let rest = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const events = `${rest}${chunk}`.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        if (event.startsWith('event: now')) resolve()
        if (event.startsWith('event: ask')) note(event.slice(event.indexOf('data: ') + 'data: '.length))
      }
    })
    response.on('close', () => reject(new Error('The gateway closed a page.')))
  })
  request.on('error', reject)
  return promise
}

function note(data: string): void {
  const { id, change } = JSON.parse(data) as ChangeView
  if (change === 'settled') arrivals.set(id, [...(arrivals.get(id) ?? []), nowMs()])
}
