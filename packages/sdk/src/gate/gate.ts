// The gate: code that runs only after a valid accept of exactly what it does.
//
// Anything else is a no: every other ending, an action that is no longer the one that was approved, an approval that was
// used, that is too old or that cannot be accounted for, and every error of our own on the way. The order is what makes
// it hold: the work is claimed, then the digest is made again from what is really there, then the approval is used up,
// and only then does anything run. What came of it is kept like a step, with a signed receipt.

import { type Action, AssentError, actionDigest, askLimits, type JsonObject, signReceipt } from '@assent/core'
import * as describe from '../ask/describe.ts'
import { commentIn, worthOf } from '../ask/ending.ts'
import type { Plain } from '../ask/how.ts'
import { sdkLimits } from '../limits.ts'
import type { Run, Settlement } from '../run/run.ts'
import type { World } from '../world.ts'
import { actionOf, type Named } from './action.ts'
import { keeperIn } from './keeper.ts'

export interface GateAction<Arguments extends JsonObject = JsonObject> extends Plain {
  /** What will happen, in a few words. */
  readonly title: string
  /** All that decides what happens. The work gets these, and should use nothing else. */
  readonly arguments: Arguments
  /** What the server says about it; shown apart. */
  readonly claim?: string
  /** How long the yes may wait to be used, in milliseconds. */
  readonly useWithinMs?: number
}

export interface Gated<Value> {
  readonly value: Value
  /** Proof that this approval was given and used; see `verifyReceipt`. */
  readonly receipt: string
  /** What the person wrote beside their approval. */
  readonly comment?: string
}

export type Gate = <Value, Arguments extends JsonObject>(
  action: GateAction<Arguments>,
  /** Gets the approved arguments as they were shown: a copy that is frozen to its last list. */
  run: (approved: Readonly<Arguments>) => Value | Promise<Value>,
) => Promise<Gated<Value>>

export interface GateParts {
  readonly run: Run
  readonly world: World
  readonly named: Named
  readonly principal: string
}

export function gateOf(parts: GateParts): Gate {
  const { run, world, named, principal } = parts
  return async <Value, Arguments extends JsonObject>(
    asked: GateAction<Arguments>,
    work: (approved: Readonly<Arguments>) => Value | Promise<Value>,
  ) => {
    const useWithinMs = checkUseWithin(asked.useWithinMs ?? world.useWithinMs)
    const action = actionOf(named, asked.title, asked.arguments)
    const description = describe.approve(asked.title, action, asked)
    const { store, tenant, openAsks } = world
    const asker = { server: action.server, tool: action.tool }
    const { question } = description
    const via = run.surface
    const keeper = store && keeperIn({ store, tenant, principal, asker, question, via, useWithinMs, openAsks })
    const settled = await run.put(description, keeper)
    await worthOf(description, settled.ending)
    const kept = await run.once(`gate ${settled.askId}`, async () => {
      const again = actionDigest(actionOf(named, asked.title, asked.arguments))
      if (again !== actionDigest(action)) throw refused('it is no longer what was approved')
      const receipt = await used(parts, action, settled, useWithinMs)
      // A copy of them, so it has their type.
      return { value: await work(action.arguments as Readonly<Arguments>), receipt }
    })
    const comment = commentIn(settled.ending)
    return { ...(kept as Gated<Value>), ...(comment === undefined ? {} : { comment }) }
  }
}

/** Uses the approval up and signs that it was. The last thing before the work. */
async function used(
  { run, world, principal }: GateParts,
  action: Action,
  { askId, atMs, repeatableUntilMs }: Settlement,
  useWithinMs: number,
): Promise<string> {
  const digest = actionDigest(action)
  const nowMs = world.nowMs()
  const { store, tenant, signing } = world
  let grantId: string
  let decidedAtMs = atMs
  if (store === undefined) {
    // Spelled so that a clock that went backwards counts as late.
    if (!(nowMs >= atMs && nowMs < atMs + useWithinMs)) throw refused('the approval is too old')
    const untilMs = Math.max(nowMs, repeatableUntilMs) + useWithinMs + sdkLimits.stateGraceMs
    if (!world.used.use(askId, untilMs, nowMs)) throw refused('the approval was used before')
    grantId = world.newId('grant')
  } else {
    const grant = await store.grants.read(tenant, askId)
    if (grant === undefined) throw refused('there is no approval on record')
    const isUsed = await store.grants.use({ tenant, id: grant.id, digest, principal, usedBy: run.callId })
    if (isUsed === undefined)
      throw refused('the approval was used before, is too old, is for something else, or does not match its signatures')
    grantId = grant.id
    decidedAtMs = grant.grantedAtMs
  }
  const { keyId, privateKey } = signing
  return signReceipt(
    { askId, grantId, actionDigest: digest, principal, approvedBy: principal, decidedAtMs, usedAtMs: nowMs, keyId },
    privateKey,
  )
}

function refused(why: string): AssentError {
  return new AssentError('grant_refused', `Nothing was run: ${why}.`)
}

function checkUseWithin(useWithinMs: number): number {
  if (Number.isSafeInteger(useWithinMs) && useWithinMs >= 1 && useWithinMs <= askLimits.useWithinMaxMs)
    return useWithinMs
  throw new AssentError('misconfigured', 'A yes can be used for up to two weeks, in whole milliseconds.')
}
