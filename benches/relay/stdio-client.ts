// A client of the relay's bench over the standard streams of a child process.

import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Line, nextBuild } from './client.ts'
import { endOf } from './processes.ts'
import {
  accepted,
  callOf,
  checkReleased,
  type Generation,
  initialize,
  initialized,
  type Message,
  rpc,
  stamped,
} from './words.ts'

export async function openStdioLine(generation: Generation, child: ChildProcess): Promise<Line> {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('This process has no streams.')
  const waiting = new Map<string | number, (reply: Message) => void>()
  const say = (message: Message) => stdin.write(`${JSON.stringify(message)}\n`)
  const ask = (message: Message): Promise<Message> => {
    const { promise, resolve } = Promise.withResolvers<Message>()
    waiting.set(message.id ?? '', resolve)
    say(message)
    return promise
  }
  stdin.on('error', () => undefined)
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    if (message.method === 'elicitation/create') say(rpc({ id: message.id ?? '', result: accepted }))
    else if (message.method === undefined && message.id !== undefined) {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })

  if (generation === '2025-11-25') {
    await ask(initialize)
    say(initialized)
  } else await ask(stamped(rpc({ id: 0, method: 'server/discover' })))

  let id = 0
  const nextId = () => {
    id += 1
    return id
  }
  const trip20251125 = async (build: string) => checkReleased(await ask(callOf(nextId(), build)), build)
  const trip20260728 = async (build: string) => {
    const { result } = await ask(stamped(callOf(nextId(), build)))
    const [key = ''] = Object.keys((result?.inputRequests ?? {}) as object)
    const retry = callOf(nextId(), build)
    const rounds = { inputResponses: { [key]: accepted }, requestState: result?.requestState }
    checkReleased(await ask(stamped({ ...retry, params: { ...retry.params, ...rounds } })), build)
  }
  const travel = generation === '2025-11-25' ? trip20251125 : trip20260728
  return {
    trip: async () => {
      const startedAt = performance.now()
      await travel(nextBuild())
      return performance.now() - startedAt
    },
    close: () => void endOf(child),
  }
}
