// The gate: code that runs only after a valid accept of exactly what it does.
//
// Anything else is a no: every other ending, an action that differs from the approved one, an approval that was
// used, that is too old or that is not recorded, and every error on the way. The order guarantees
// this: the work is claimed, then the digest is computed again from the current action, then the approval is used up,
// and only then does the work run. Its result is stored like a step, with a signed receipt.

import { type Action, AssentError, actionDigest, askLimits, compact, type JsonObject, signReceipt } from '@assent/core'
import * as describe from '../ask/describe.ts'
import { answerValue, commentOf } from '../ask/ending.ts'
import type { AskOptions } from '../ask/options.ts'
import type { Run, Settlement } from '../ask/run.ts'
import { sdkLimits } from '../limits.ts'
import type { ServerContext } from '../server/server-context.ts'
import { actionOf, type JsonMembers, type ToolIdentity } from './action.ts'
import { storedAskRecord } from './stored-ask-record.ts'

export interface GateAction<Arguments extends object = JsonObject> extends AskOptions {
  /** A short title of what will happen. */
  readonly title: string
  /** All that decides what happens. The work gets these, and should use nothing else. */
  readonly arguments: Arguments
  /** The server's own description of it; shown apart. */
  readonly claim?: string
  /** How long the yes may wait to be used, in milliseconds. */
  readonly useWithinMs?: number
}

export interface GateResult<Value> {
  readonly value: Value
  /** Proof that this approval was given and used; see `verifyReceipt`. */
  readonly receipt: string
  /** The comment that the person wrote with their approval. */
  readonly comment?: string
}

export type Gate = <Value, Arguments extends JsonMembers<Arguments>>(
  action: GateAction<Arguments>,
  /** Gets the approved arguments as they were shown: a deeply frozen copy. */
  run: (approved: Readonly<Arguments>) => Value | Promise<Value>,
) => Promise<GateResult<Value>>

export interface GateDependencies {
  readonly run: Run
  readonly serverContext: ServerContext
  readonly identity: ToolIdentity
  readonly principal: string
}

export function createGate(parts: GateDependencies): Gate {
  const { run, serverContext, identity, principal } = parts
  const pass = async <Value, Arguments extends JsonMembers<Arguments>>(
    asked: GateAction<Arguments>,
    work: (approved: Readonly<Arguments>) => Value | Promise<Value>,
  ) => {
    const useWithinMs = checkUseWithin(asked.useWithinMs ?? serverContext.useWithinMs)
    const action = actionOf(identity, asked.title, asked.arguments as object)
    const description = describe.approve(asked.title, action, asked)
    const { store, tenant, openAsks } = serverContext
    const asker = { server: action.server, tool: action.tool }
    const { question } = description
    const via = run.surface
    const askRecord =
      store && storedAskRecord({ store, tenant, principal, asker, question, via, useWithinMs, openAsks })
    const settled = await run.put(description, askRecord)
    await answerValue(description, settled.ending)
    const stored = await run.once(`gate ${settled.askId}`, async () => {
      const again = actionDigest(actionOf(identity, asked.title, asked.arguments as object))
      if (again !== actionDigest(action)) throw grantRefused('it is no longer what was approved')
      const receipt = await useApproval(parts, action, settled, useWithinMs)
      // `action.arguments` is a copy of `asked.arguments`, so it has the same type.
      return { value: await work(action.arguments as unknown as Readonly<Arguments>), receipt }
    })
    const comment = commentOf(settled.ending)
    return { ...(stored as GateResult<Value>), ...compact({ comment }) }
  }
  return (asked, work) => run.promises.guard({ kind: 'ask', label: asked.title }, () => pass(asked, work))
}

/** Uses up the approval and signs the receipt, immediately before the work. */
async function useApproval(
  { run, serverContext, principal }: GateDependencies,
  action: Action,
  { askId, atMs, repeatableUntilMs }: Settlement,
  useWithinMs: number,
): Promise<string> {
  const digest = actionDigest(action)
  const nowMs = serverContext.nowMs()
  const { store, tenant, signing } = serverContext
  let grantId: string
  let decidedAtMs = atMs
  if (store === undefined) {
    // Written so that a clock that went backwards counts as late.
    if (!(nowMs >= atMs && nowMs < atMs + useWithinMs)) throw grantRefused('the approval is too old')
    const untilMs = Math.max(nowMs, repeatableUntilMs) + useWithinMs + sdkLimits.stateGraceMs
    if (!serverContext.usedApprovals.use(askId, untilMs, nowMs)) throw grantRefused('the approval was used before')
    grantId = serverContext.newId('grant')
  } else {
    const grant = await store.grants.read(tenant, askId)
    if (grant === undefined) throw grantRefused('there is no approval on record')
    const isUsed = await store.grants.use({ tenant, id: grant.id, digest, principal, usedBy: run.callId })
    if (isUsed === undefined)
      throw grantRefused(
        'the approval was used before, is too old, is for something else, or does not match its signatures',
      )
    grantId = grant.id
    decidedAtMs = grant.grantedAtMs
  }
  const { keyId, privateKey } = signing
  return signReceipt(
    { askId, grantId, actionDigest: digest, principal, approvedBy: principal, decidedAtMs, usedAtMs: nowMs, keyId },
    privateKey,
  )
}

function grantRefused(why: string): AssentError {
  return new AssentError('grant_refused', `Nothing was run: ${why}.`)
}

function checkUseWithin(useWithinMs: number): number {
  if (Number.isSafeInteger(useWithinMs) && useWithinMs >= 1 && useWithinMs <= askLimits.useWithinMaxMs)
    return useWithinMs
  throw new AssentError('misconfigured', 'A yes can be used for up to two weeks, in whole milliseconds.')
}
