// One pending approval of revision 2026-07-28, with its state; everything about it can be changed.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type JsonObject, parseJsonStrictly } from '@assent/core'
import {
  createAssent,
  type GateAction,
  type Interaction,
  isAssentError,
  type McpHandler,
  onSurface,
  type Surface,
  type ToolDefinition,
} from '@assent/sdk'
import { contextOf, roundOf } from '../../test-kit/mcp/rounds-2026-07-28.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { randomApproved } from '../seal/changes.ts'
import { respell } from '../seal/values.ts'

export const waitMs = 60_000
export const useWithinMs = 1_000
export const approveAnswer = { action: 'accept', content: { decision: 'approve' } }

export interface Clock {
  nowMs: number
  /** After this many readings the clock jumps by this much. */
  jump?: { after: number; byMs: number } | undefined
}

export function createClock(): Clock {
  return { nowMs: Date.UTC(2026, 6, 28, 12) }
}

function read(clock: Clock): number {
  const { jump } = clock
  if (jump === undefined) return clock.nowMs
  if (jump.after > 0) {
    jump.after -= 1
    return clock.nowMs
  }
  return clock.nowMs + jump.byMs
}

export interface Retry {
  readonly state?: string
  readonly answer?: unknown
  readonly sub?: string
  /** Used at a server with another name and the same keys. */
  readonly asServer?: string
  /** Registered under another name. */
  readonly asTool?: string
}

export interface Approval {
  readonly clock: Clock
  readonly definition: JsonObject
  readonly arguments: JsonObject
  readonly state: string
  ran: number
  asked: Changeable
  /** The arguments of the handler when it runs again. */
  now: { definition: () => unknown; arguments: unknown }
  retry(retry: Retry): Promise<string>
  retryRespelled(random: SeededRandom): Promise<string>
  /** The same action on a surface where the handler waits; `meanwhile` happens before the person says yes. */
  live(meanwhile: (asked: Changeable) => void): Promise<string>
}

/** The arguments object that a handler passed to its gate and can still change. */
export type Changeable = { -readonly [N in keyof GateAction]: GateAction[N] }

const keys = [{ id: 'proof', secret: randomBytes(32) }]
/** Shared, because creating keys takes longer than an attack. */
const signing = { keyId: 'proof', privateKey: generateKeyPairSync('ed25519').privateKey }
const title = 'Run it'
const sub = 'ann'

export async function approveOnce(random: SeededRandom, clock: Clock): Promise<Approval> {
  const { action, definition } = randomApproved(random)
  const served = (server: string, tool: string) => {
    const { interactive } = createAssent({
      name: server,
      keys,
      signing,
      nowMs: () => read(clock),
      waitMs,
      useWithinMs,
      unseenAfterMs: 0,
      // These handlers do nothing else, so one that changed its action is stuck at once.
      repeatWithinMs: 3,
      log: false,
    })
    const options = { name: tool, definition: () => approval.now.definition() as ToolDefinition }
    return interactive<[], unknown, unknown>((interaction) => handle(interaction, approval), options)
  }
  const wrapped = served(action.server, action.tool)
  const approval: Approval = {
    clock,
    definition,
    arguments: action.arguments,
    state: '',
    ran: 0,
    asked: { title, arguments: {} },
    now: { definition: () => definition, arguments: action.arguments },
    retry: async ({ state = approval.state, answer = approveAnswer, sub: by = sub, asServer, asTool }) => {
      const isOther = asServer !== undefined || asTool !== undefined
      const as = isOther ? served(asServer ?? action.server, asTool ?? action.tool) : wrapped
      return ended(as, contextOf({ state, sub: by, answers: { 'ask-1': answer } }))
    },
    retryRespelled: (by) => {
      const [given, defined] = [action.arguments, definition].map((value) => parseJsonStrictly(respell(value, by)))
      approval.now = { definition: () => defined, arguments: given }
      return approval.retry({})
    },
    live: (meanwhile) => ended(wrapped, onSurface(deciding(() => meanwhile(approval.asked)))),
  }
  const first = roundOf(await wrapped(contextOf({ sub })))
  if (first.state === undefined) throw new Error(`Nothing was asked: ${first.text}`)
  return Object.assign(approval, { state: first.state })
}

async function handle({ gate }: Interaction, approval: Approval): Promise<string> {
  approval.asked = { title, arguments: approval.now.arguments as JsonObject }
  const gated = await gate(approval.asked, () => {
    approval.ran += 1
    return 'ran'
  })
  return gated.value
}

/** A person who approves after something else has happened. */
function deciding(meanwhile: () => void): Surface {
  return {
    name: 'client',
    refuses: () => undefined,
    put: async () => {
      meanwhile()
      return { kind: 'answered', answer: { action: 'accept' } }
    },
  }
}

async function ended(wrapped: McpHandler<[], unknown, unknown>, context: unknown): Promise<string> {
  try {
    const { code, text, state } = roundOf(await wrapped(context))
    return code ?? (state === undefined ? text : 'asked again')
  } catch (error) {
    return isAssentError(error) ? error.code : `threw ${error}`
  }
}
