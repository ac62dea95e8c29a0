// The lower bound of a hop: a process that forwards bytes without parsing them.
//
// `proxy.ts <url>`. Connections to the server are kept alive, streams are piped, nothing is parsed.

import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

const target = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true, noDelay: true, maxFreeSockets: 256 })

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  const { method = 'GET', headers, url: path = '/' } = incoming
  const options = { agent, host: target.hostname, port: target.port, method, path, headers }
  const onward = httpRequest(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
})
// Ends when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.({ cpuUs: process.cpuUsage().user + process.cpuUsage().system }))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}` })
})
