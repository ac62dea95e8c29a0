// Where figures and health are read: at a place of their own, or beside the endpoint for this machine alone.

import { createServer, type IncomingMessage } from 'node:http'
import type { Address } from '../config/kinds.ts'
import { isLoopback } from '../config/kinds.ts'
import { type Page, showPage } from '../door/door.ts'
import { type Known, pageHostProblem } from '../door/host.ts'
import { listenAt } from '../door/listen.ts'
import { programLimits } from '../limits.ts'
import type { Figures } from '../watch/figures.ts'

export function figuresPage(figures: Figures): Page {
  return async () => ({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: await figures.recounted(),
  })
}

/** For requests that come from this machine and were not passed on by a proxy on it for somebody else. */
export function fromHereAlone(page: Page): Page {
  return (request) =>
    isFromHere(request)
      ? page(request)
      : { status: 403, type: 'text/plain', body: 'These figures are for this machine alone.\n' }
}

/** A server for these pages and nothing else. `known` is read at each request: a reload changes it. */
export async function openFiguresDoor(
  { host, port }: Address,
  pages: Readonly<Record<string, Page>>,
  known: () => Known,
): Promise<() => void> {
  const { requestWithinMs } = programLimits
  const server = createServer(
    { requestTimeout: requestWithinMs, headersTimeout: requestWithinMs },
    (request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
      const page = Object.hasOwn(pages, path) ? pages[path] : undefined
      const { hosts, origins } = known()
      const refusal = pageHostProblem(request, { hosts: [...hosts, host.toLowerCase()], origins })
      if (refusal !== undefined) response.writeHead(403, { 'content-type': 'text/plain' }).end(`${refusal}\n`)
      else if (page === undefined) response.writeHead(404).end()
      else void showPage(page, request, response)
    },
  )
  await listenAt(server, { host, port })
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const isPassedOn = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)
  // An IPv4 address on an IPv6 socket is written with this prefix.
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return isLoopback(address) && !isPassedOn
}
