// A wire to a service on this machine that can be cut.

import { connect, createServer, type Socket } from 'node:net'
import { putAwayLater } from '../contract/stage.suite.ts'

export interface CuttableWire {
  readonly port: number
  cut(): void
  mend(): void
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
  putAwayLater(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    cut,
    mend: () => {
      isCut = false
    },
  }
}
