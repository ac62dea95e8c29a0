// A TCP proxy to a local service that can be disconnected.

import { connect, createServer, type Socket } from 'node:net'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'

export interface CuttableWire {
  readonly port: number
  cut(): void
  repair(): void
}

export async function aWireTo(port: number): Promise<CuttableWire> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  closeAfterTest(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    cut,
    repair: () => {
      isCut = false
    },
  }
}
