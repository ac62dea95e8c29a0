// Calls of clients without elicitation, so that their person is asked in the inbox, in both revisions.

import { nextBuild, post, replyTo, type Where } from '../relay/client.ts'
import { callOf, checkReleased, initialize, initialized, type Message } from '../relay/words.ts'

/** A call whose person has not answered yet: the client has its state. */
export interface Waiting {
  readonly build: string
  readonly state: string
}

const canNothing = {}
const roundsMost = 30

/** Makes a call that waits for the inbox, and gets a state to retry with. */
export async function callForInbox(where: Where): Promise<Waiting> {
  const build = nextBuild()
  const reply = await replyTo(where, callOf(1, build), canNothing)
  const waiting = waitingIn(reply, build)
  if (waiting === undefined)
    throw new Error(`A call that should ask a person returned ${JSON.stringify(reply).slice(0, 300)}`)
  return waiting
}

/** Retries a call whose person has accepted, at the address from `at`, until it is finished. */
export async function finish(at: () => Where, { build, state }: Waiting): Promise<void> {
  const call = callOf(2, build)
  let next: string | undefined = state
  // A gateway with a slow database returns a new state.
  for (let round = 0; next !== undefined; round++) {
    if (round === roundsMost) throw new Error('A call still waits although its person accepted.')
    const reply = await replyTo(at(), { ...call, params: { ...call.params, requestState: next } }, canNothing)
    next = waitingIn(reply, build)?.state
    if (next === undefined) checkReleased(reply, build)
  }
}

/** A complete call of a client that waits without a limit. */
export async function callAndWait(where: Where): Promise<Message> {
  const build = nextBuild()
  const call = callOf(1, build)
  let reply = await replyTo(where, call, canNothing)
  for (let waiting = waitingIn(reply, build); waiting !== undefined; waiting = waitingIn(reply, build)) {
    const params = { ...call.params, requestState: waiting.state }
    reply = await replyTo(where, { ...call, params }, canNothing)
  }
  checkReleased(reply, build)
  return reply
}

/** The same in a session of 2025-11-25, whose calls are held open. */
export async function openSession(where: Where): Promise<() => Promise<Message>> {
  const opening = { ...initialize, params: { ...initialize.params, capabilities: canNothing } }
  const { headers } = await post(where, opening, () => undefined)
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
  const inside = { ...where, headers: { ...where.headers, ...session } }
  await post(inside, initialized, () => undefined)
  let id = 0
  return async () => {
    id += 1
    const build = nextBuild()
    let reply: Message = {}
    await post(inside, callOf(id, build), (message) => {
      if (message.method === undefined) reply = message
    })
    checkReleased(reply, build)
    return reply
  }
}

function waitingIn({ result }: Message, build: string): Waiting | undefined {
  if (result?.resultType !== 'input_required') return undefined
  if (typeof result.requestState !== 'string') throw new Error(`This call has no state: ${JSON.stringify(result)}`)
  return { build, state: result.requestState }
}
