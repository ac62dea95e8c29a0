// The gate: code that runs only after a valid accept of exactly what it does.
//
// Anything else is a no: every other ending, an action that differs from the approved one, an approval that was
// used, that is too old or that is not recorded, and every error on the way. The order guarantees this. First a step of its own
// computes the digest again from the current action, uses up the approval and stores the signed receipt. Then a second step
// checks digest and time once more and runs the work. So the receipt is never lost, whatever the work does or returns.

import { type Action, AssentError, actionDigest, askLimits, compact, type JsonObject, signReceipt } from '@assent/core'
import type { HandedOut } from '../ask/author-promises.ts'
import * as describe from '../ask/describe.ts'
import { type Editable, editedArguments } from '../ask/editable.ts'
import { answerValue, commentOf } from '../ask/ending.ts'
import type { JsonMembers } from '../ask/json-members.ts'
import { askLabel } from '../ask/label.ts'
import type { AskOptions } from '../ask/options.ts'
import type { Run, Settlement } from '../ask/run.ts'
import { ownStepPrefix, receiptStepPrefix, type StepContext, type StepOptions } from '../ask/step.ts'
import type { ToolInput } from '../ask/tool-input.ts'
import { sdkLimits } from '../limits.ts'
import type { Jsonify } from '../run/jsonify.ts'
import { checkStepOptions, checkWork } from '../run/step-attempts.ts'
import type { ServerContext } from '../server/server-context.ts'
import { actionOf, type ToolIdentity } from './action.ts'
import { storedAskRecord } from './stored-ask-record.ts'

export interface GateAction<Arguments extends object = JsonObject> extends AskOptions {
  /** A short title of what will happen. */
  readonly title: string
  /** All that decides what happens. The work gets these, and should use nothing else. */
  readonly arguments: Arguments
  /** The server's own description of it; shown apart. */
  readonly claim?: string
  /**
   * Arguments that the person may change before they approve: their names, or a form. The work gets what they approved. Those
   * that the tool got from its caller also have to fit its input schema.
   */
  readonly editable?: Editable
  /** How long the yes may wait to be used, in milliseconds. */
  readonly useWithinMs?: number
}

export interface GateResult<Value> {
  /** What the work returned, after JSON. */
  readonly value: Value
  /** Proof that this approval was given and used; see `verifyReceipt`. */
  readonly receipt: string
  /** The comment that the person wrote with their approval. */
  readonly comment?: string
}

export interface GateContext extends StepContext {
  readonly receipt: string
}

/** If the work fails, the error has the receipt as `receipt`. */
export type Gate = <Value, Arguments extends JsonMembers<Arguments>>(
  action: GateAction<Arguments>,
  /** Gets the approved arguments as they were shown: a deeply frozen copy. */
  run: (approved: Readonly<Arguments>, context: GateContext) => Value | PromiseLike<Value>,
  options?: StepOptions,
) => Promise<GateResult<Jsonify<Awaited<Value>>>>

export interface GateDependencies {
  readonly run: Run
  readonly serverContext: ServerContext
  readonly identity: ToolIdentity
  readonly principal: string
  readonly input: ToolInput
}

export function createGate(parts: GateDependencies): Gate {
  const { run, serverContext, identity, principal, input } = parts
  const pass = async (
    asked: GateAction,
    work: (approved: JsonObject, context: GateContext) => unknown,
    options: StepOptions,
    entry: HandedOut,
  ) => {
    // Before a person is asked.
    checkAction(asked)
    checkWork(work)
    const useWithinMs = checkUseWithin(asked.useWithinMs ?? serverContext.useWithinMs)
    checkStepOptions(options)
    serverContext.warnGateWithoutStore()
    const { title, editable } = asked
    const given: object =
      editable === undefined
        ? asked.arguments
        : await editedArguments(
            { title, arguments: asked.arguments, editable, options: asked, input },
            async (edit) => {
              return (await run.put(edit)).ending
            },
          )
    const action = actionOf(identity, title, given)
    const description = describe.approve(asked.title, action, asked)
    const { store, tenant, openAsks } = serverContext
    const asker = { server: action.server, tool: action.tool }
    const { question } = description
    const via = run.surface
    const askRecord =
      store && storedAskRecord({ store, tenant, principal, asker, question, via, useWithinMs, openAsks })
    const settled = await run.put(description, askRecord)
    await answerValue(description, settled.ending)
    // While it was open, nothing else could start unless the handler waits for this gate.
    entry.kind = 'work'
    const checkUnchanged = () => {
      // Read again, because the handler may have replaced them meanwhile.
      const current: object = editable === undefined ? asked.arguments : given
      const again = actionDigest(actionOf(identity, asked.title, current))
      if (again !== actionDigest(action)) throw grantRefused('it is no longer what was approved')
    }
    const useUp = () => {
      checkUnchanged()
      return useApproval(parts, action, settled, useWithinMs)
    }
    const workName = `${ownStepPrefix}gate ${settled.askId}`
    const used = (await run.once(`${receiptStepPrefix}${settled.askId}`, useUp, {
      isOwn: true,
      label: askLabel(description),
      maxResultChars: sdkLimits.receiptInStateChars,
      before: { name: workName, maxResultChars: options.maxResultChars },
    })) as UsedApproval
    const { receipt, usedAtMs } = used
    try {
      const value = await run.once(
        workName,
        (context) => {
          checkUnchanged()
          // The process that used the approval may have died before it began the work. A later attempt repeats work that
          // began in time.
          const isRecent = serverContext.nowMs() < usedAtMs + useWithinMs
          if (context.attempt === 1 && !isRecent) throw grantRefused('the approval is too old')
          return work(action.arguments, { ...context, receipt })
        },
        { ...options, isOwn: true, label: askLabel(description) },
      )
      return { value, receipt, ...compact({ comment: commentOf(settled.ending) }) }
    } catch (error) {
      // A step rejects with an error of ours.
      throw Object.assign(error as AssentError, { receipt })
    }
  }
  // The value is what the work returned after JSON, and the arguments are a copy of those of the action.
  return (asked, work, options = {}) =>
    run.promises.guard({ kind: 'approval', label: asked?.title ?? 'gate' }, (entry) =>
      pass(
        asked as unknown as GateAction,
        work as (approved: JsonObject, context: GateContext) => unknown,
        options,
        entry,
      ),
    ) as Promise<GateResult<Jsonify<Awaited<ReturnType<typeof work>>>>>
}

interface UsedApproval {
  readonly receipt: string
  readonly usedAtMs: number
}

/** Uses up the approval and signs the receipt, immediately before the work. */
async function useApproval(
  { run, serverContext, principal }: GateDependencies,
  action: Action,
  { askId, atMs, repeatableUntilMs }: Settlement,
  useWithinMs: number,
): Promise<UsedApproval> {
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
  const receipt = signReceipt(
    { askId, grantId, actionDigest: digest, principal, approvedBy: principal, decidedAtMs, usedAtMs: nowMs, keyId },
    privateKey,
  )
  return { receipt, usedAtMs: nowMs }
}

function checkAction(asked: unknown): void {
  if (typeof asked === 'object' && asked !== null) return
  const advice = 'gate({ title, arguments }, (approved) => …)'
  throw new AssentError('misconfigured', `The first argument of a gate is what a person approves: ${advice}.`)
}

function grantRefused(why: string): AssentError {
  return new AssentError('grant_refused', `Nothing was run: ${why}.`)
}

function checkUseWithin(useWithinMs: number): number {
  if (Number.isSafeInteger(useWithinMs) && useWithinMs >= 1 && useWithinMs <= askLimits.useWithinMaxMs)
    return useWithinMs
  throw new AssentError('misconfigured', 'A yes can be used for up to two weeks, in whole milliseconds.')
}
