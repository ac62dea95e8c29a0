// Serves metrics and health checks: on a separate address, or on the endpoint's address for this machine only.

import { createServer, type IncomingMessage } from 'node:http'
import type { Address } from '../config/kinds.ts'
import { type Known, pageHostProblem } from '../http/host.ts'
import { listenAt } from '../http/listen.ts'
import { type Page, showPage } from '../http/server.ts'
import { programLimits } from '../limits.ts'
import { isLoopback } from '../protocol/loopback.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { metricsText } from './text/gateway.ts'

export function metricsPage(figures: Metrics): Page {
  return async () => ({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: await figures.recounted(),
  })
}

/** Serves the page only to requests from this machine that were not forwarded by a proxy. */
export function fromHereAlone(page: Page): Page {
  return (request) =>
    isFromHere(request) ? page(request) : { status: 403, type: 'text/plain', body: metricsText.onlyHere }
}

/** Serves only these pages. `known` is read at each request, because a reload changes it. */
export async function openMetricsListener(
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
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)
  // An IPv4 address on an IPv6 socket is written with this prefix.
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return isLoopback(address) && !isForwarded
}
