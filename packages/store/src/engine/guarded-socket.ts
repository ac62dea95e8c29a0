// A socket that guards against pg's parser. If the parser throws, the socket is destroyed and the process continues. An
// error message that is not terminated, in which the parser would loop forever, is detected first.

import { Socket } from 'node:net'
import { UnterminatedErrors } from './unterminated-errors.ts'

type Listener = (...args: never[]) => void

export function guardedSocket(): Socket {
  const socket = new Socket()
  const listen = socket.on.bind(socket) as (event: string, listener: Listener) => Socket
  const guarded = (read: (bytes: Buffer) => void) => {
    const errors = new UnterminatedErrors()
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
    listen(event, event === 'data' ? guarded(listener as never) : listener)
  return Object.assign(socket, { on })
}
