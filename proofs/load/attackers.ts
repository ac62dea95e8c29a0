// A process of clients that only consume resources: connections that send a request a few bytes at a time, and streams that
// are never read. Closed connections are reopened.
import { connect, type Socket } from 'node:net'

export interface Standing {
  readonly slow: number
  readonly idle: number
  readonly closed: number
}

const [address = '', slowMost = '0', idleMost = '0'] = process.argv.slice(2)
const { hostname, port } = new URL(address)
const people = ['ann', 'bob']
const trickleMs = 3_000
const perTurn = 40

const begin = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-person: ann\r\ncontent-type: application/json\r\n`
const slow = new Set<Socket>()
const idle = new Set<Socket>()
let closed = 0

function open(into: Set<Socket>, first: string): Socket {
  const socket = connect(Number(port), hostname, () => socket.write(first))
  into.add(socket)
  socket
    .on('error', () => undefined)
    .on('close', () => {
      into.delete(socket)
      closed += 1
    })
  return socket
}

function openSlow(): void {
  const inBody = slow.size % 2 === 0
  const socket = open(slow, inBody ? `${begin}content-length: 100000\r\n\r\n{"jsonrpc":` : begin)
  const timer = setInterval(() => socket.write(inBody ? ' ' : `x-${Math.random()}: y\r\n`), trickleMs)
  socket.on('close', () => clearInterval(timer))
}

async function sessionOf(person: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'idle', version: '1' } }
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-person': person },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

const sessions = new Map(await Promise.all(people.map(async (person) => [person, await sessionOf(person)] as const)))

function openIdle(): void {
  const person = people[idle.size % people.length] ?? ''
  const session = sessions.get(person) ?? ''
  const head = `GET /mcp HTTP/1.1\r\nhost: localhost\r\nx-person: ${person}\r\nmcp-session-id: ${session}\r\naccept: text/event-stream\r\n\r\n`
  const socket = open(idle, head)
  // Read until it is known to be a stream, then never again: its events pile up at the gateway.
  socket.once('data', (answer) => {
    if (answer.toString('latin1').startsWith('HTTP/1.1 200')) socket.pause()
    else socket.destroy()
  })
}

setInterval(() => {
  for (let i = 0; i < perTurn && slow.size < Number(slowMost); i++) openSlow()
  for (let i = 0; i < perTurn && idle.size < Number(idleMost); i++) openIdle()
  const standing: Standing = { slow: slow.size, idle: idle.size, closed }
  process.send?.(standing)
}, 50)
process.on('disconnect', () => process.exit(0))
