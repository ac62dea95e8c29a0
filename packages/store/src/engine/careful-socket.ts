// A socket whose reader may stumble.
//
// The driver throws at bytes that are not the database's protocol, from where nobody can catch it, and that would end the
// process. Here it breaks the connection, and whoever waits on it hears so. Where it would read on for ever, it is not let.

import { Socket } from 'node:net'
import { ErrorsEnd } from './errors-end.ts'

type Listener = (...given: never[]) => void

export function carefulSocket(): Socket {
  const socket = new Socket()
  const listen = socket.on.bind(socket) as (event: string, listener: Listener) => Socket
  const careful = (read: (bytes: Buffer) => void) => {
    const errors = new ErrorsEnd()
    return (bytes: Buffer) => {
      try {
        errors.check(bytes)
        read(bytes)
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
  const on = (event: string, listener: Listener) =>
    listen(event, event === 'data' ? careful(listener as never) : listener)
  return Object.assign(socket, { on })
}
