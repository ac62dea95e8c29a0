// Whether the definition of a tool is one that was accepted: the one at its first call under a policy, or a later one that
// an owner of the policies accepted in the inbox.
//
// Owns: the accepted definitions that this process has read, and the asks to the owners.
// I1  A definition counts as accepted only if the store has its signed acceptance, or pinned it first.
// I2  An accepted definition stays accepted, so what was read once needs no statement on the database again. A definition
//     that is not accepted is read at each call.
// I3  The owners are asked once for each definition, whichever replica finds it; again a day after they declined, or after
//     the ask expired.

import { randomBytes } from 'node:crypto'
import {
  type Action,
  type ApprovalRule,
  type Approver,
  type Ask,
  type AskDraft,
  actionDigest,
  canonicalJson,
  definitionIn,
  digestOf,
  draftProblem,
  isAssentError,
  isTooManyOpen,
  type JsonObject,
  newId,
  type OpenLimits,
  type PinnedDefinition,
  pinnedDefinition,
  type Question,
  ruleOf,
} from '@assent/core'
import type { Store, StoredDefinition, ToolName } from '@assent/store'
import { policyLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { declaresDestructive } from '../destructive-tools.ts'
import { policyText } from './text/policy-gate.ts'

/** How a change is handled: owners are asked, there are none, it cannot be shown to them, or too many asks are open. */
export type DefinitionChange = 'asked' | 'no-owners' | 'not-shown' | 'too-many-open'

/** The settings of policies about definitions. */
export interface PinRules {
  /** Who can accept a changed definition. */
  readonly owners: readonly Approver[]
  /** Whether a changed description counts as a change. */
  readonly pinsDescriptions: boolean
}

export interface PinnedDefinitionsOptions {
  readonly store: Pick<Store, 'definitions' | 'asks' | 'nowMs'>
  /** Whether owners can be asked about tools of this server. */
  readonly hasInbox: (server: string) => boolean
  /** Whether the owners get messages about the ask. */
  readonly announces: (ask: Pick<Ask, 'approvalRule'>) => boolean
  /** The limits on open asks. Read at each use, because a reload changes them. */
  readonly limits: () => OpenLimits
  /** Called once in this process for each change. */
  readonly onChanged: (server: string, tool: string, change: DefinitionChange) => void
}

/** The asks belong to no person: no call waits for them. */
const askedBy = 'assent'

export class PinnedDefinitions {
  readonly #options: PinnedDefinitionsOptions
  readonly #read = new WeakMap<JsonObject, PinnedDefinition>()
  readonly #accepted = new Set<string>()
  readonly #reported = new Set<string>()

  constructor(options: PinnedDefinitionsOptions) {
    this.#options = options
  }

  /** The pinned part of a definition; undefined if it has no canonical form. */
  pinnedPartOf(definition: JsonObject): PinnedDefinition | undefined {
    const known = this.#read.get(definition)
    if (known !== undefined) return known
    try {
      const made = pinnedDefinition(definition)
      this.#read.set(definition, made)
      return made
    } catch (error) {
      if (isAssentError(error)) return undefined
      throw error
    }
  }

  /** Whether the definition is not accepted. The first one of a tool is pinned, and is accepted. */
  async isChanged(name: ToolName, pinned: PinnedDefinition, rules: PinRules): Promise<boolean> {
    const description = rules.pinsDescriptions ? pinned.descriptionDigest : ''
    const key = compoundKey(name.tenant, name.server, name.tool, pinned.digest, description)
    if (this.#accepted.has(key)) return false
    const isSame = (stored: PinnedDefinition) =>
      stored.digest === pinned.digest && (description === '' || stored.descriptionDigest === description)
    if (!(await this.#isAccepted(name, pinned, rules, isSame, key))) return true
    if (this.#accepted.size >= policyLimits.acceptedDefinitions) this.#accepted.clear()
    this.#accepted.add(key)
    return false
  }

  /** Whether an accepted definition of the tool declares it as destructive: a change does not take the mark away. */
  async wasDestructive(tenant: string, server: string, tool: string): Promise<boolean> {
    const stored = await this.#options.store.definitions.of({ tenant, server, tool })
    return stored.some(({ isAccepted, text }) => isAccepted && text !== '' && declaresDestructive(definitionIn(text)))
  }

  async #isAccepted(
    name: ToolName,
    pinned: PinnedDefinition,
    { owners }: PinRules,
    isSame: (stored: PinnedDefinition) => boolean,
    key: string,
  ): Promise<boolean> {
    const { definitions } = this.#options.store
    let stored = await definitions.of(name)
    if (stored.length === 0) {
      if (await definitions.pin(name, pinned)) return true
      stored = await definitions.of(name)
    }
    if (stored.some((one) => one.isAccepted && isSame(one))) return true
    if (!stored.some(isSame)) {
      const before = stored
      await definitions.addChanged(name, pinned)
      stored = await definitions.of(name)
      await this.#withdrawReplaced(name, before, stored)
    }
    const changed = stored.find(isSame)
    const ask =
      changed?.askId === undefined ? undefined : await this.#options.store.asks.read(name.tenant, changed.askId)
    if (changed !== undefined && ask !== undefined) {
      const by = acceptedIn(ask, name, changed, owners)
      if (by !== undefined) {
        await definitions.accept(name, changed, by, ask.id)
        return (await definitions.of(name)).some((one) => one.isAccepted && isSame(one))
      }
    }
    this.#report(name, key, await this.#askOwners(name, changed, stored, ask, owners))
    return false
  }

  /** The definition of such an ask is no longer stored: accepting it would have no effect. */
  async #withdrawReplaced(
    { tenant }: ToolName,
    before: readonly StoredDefinition[],
    after: readonly StoredDefinition[],
  ): Promise<void> {
    const kept = new Set(after.map(({ askId }) => askId))
    for (const { askId } of before) {
      if (askId !== undefined && !kept.has(askId))
        await this.#options.store.asks.withdraw(tenant, askId, 'asker-stopped')
    }
  }

  async #askOwners(
    name: ToolName,
    changed: StoredDefinition | undefined,
    stored: readonly StoredDefinition[],
    before: Ask | undefined,
    owners: readonly Approver[],
  ): Promise<DefinitionChange> {
    const { store, hasInbox, announces } = this.#options
    const isOfOthers = before !== undefined && !isForOwners(before, owners)
    // The owners changed: those before them can no longer accept it.
    if (isOfOthers && before.state.kind === 'open') await store.asks.withdraw(name.tenant, before.id, 'asker-stopped')
    if (changed === undefined || !isIntact(changed)) return 'not-shown'
    if (owners.length === 0 || !hasInbox(name.server)) return 'no-owners'
    if (before !== undefined && !isOfOthers && !this.#mayAskAgain(before)) return 'asked'
    // An id that was noted without an ask: the replica that noted it is raising it, or died. The same ask is raised once.
    const noted = before === undefined ? changed.askId : undefined
    const id = noted ?? newId('ask', store.nowMs(), randomBytes)
    const draft = draftOf(id, name, changed, stored, owners)
    if (draft === undefined) return 'not-shown'
    if (noted === undefined && !(await store.definitions.setAsk(name, changed, id))) return 'asked'
    return this.#raise(draft, announces(draft))
  }

  /** Beyond a limit on open asks nothing is raised; the next call of the tool tries again, with the same id. */
  async #raise(draft: AskDraft, isAnnounced: boolean): Promise<DefinitionChange> {
    const limits = this.#options.limits()
    try {
      // These asks have no caller. The limit of their server keeps one server from using up the room of the others.
      await this.#options.store.asks.raise(draft, { ...limits, perCaller: limits.perTenant }, undefined, isAnnounced)
      return 'asked'
    } catch (error) {
      if (isTooManyOpen(error)) return 'too-many-open'
      throw error
    }
  }

  #mayAskAgain({ state }: Ask): boolean {
    return state.kind !== 'open' && this.#options.store.nowMs() - state.atMs >= policyLimits.askOwnersAgainMs
  }

  #report({ server, tool }: ToolName, key: string, change: DefinitionChange): void {
    const reported = compoundKey(key, change)
    if (this.#reported.has(reported)) return
    if (this.#reported.size >= policyLimits.acceptedDefinitions) this.#reported.clear()
    this.#reported.add(reported)
    this.#options.onChanged(server, tool, change)
  }
}

/** The owner who accepted exactly this definition in this ask, whose signatures the store has verified. */
function acceptedIn(
  ask: Ask,
  { server, tool }: ToolName,
  changed: PinnedDefinition,
  owners: readonly Approver[],
): string | undefined {
  const { state, question } = ask
  if (state.kind !== 'settled' || state.answer.action !== 'accept' || question.kind !== 'approval') return undefined
  if (!isForOwners(ask, owners) || !isIntact(changed)) return undefined
  const { action } = question
  const isThis =
    action.kind === 'definition' &&
    action.server === server &&
    action.tool === tool &&
    action.definitionDigest === changeDigest(changed)
  return isThis ? state.by : undefined
}

/** Undefined if the definitions are too large to be shown together, or a name cannot be shown. */
function draftOf(
  id: string,
  { tenant, server, tool }: ToolName,
  changed: PinnedDefinition,
  stored: readonly StoredDefinition[],
  owners: readonly Approver[],
): AskDraft | undefined {
  const last = stored.filter(({ isAccepted, text }) => isAccepted && text !== '').at(-1)
  const accepted = last === undefined ? {} : { accepted: definitionIn(last.text) }
  const action: Action = {
    kind: 'definition',
    server,
    tool,
    definitionDigest: changeDigest(changed),
    arguments: { ...accepted, new: definitionIn(changed.text) },
  }
  const question = questionAbout(action)
  if (question === undefined) return undefined
  const draft: AskDraft = {
    tenant,
    id,
    asker: { server, tool },
    principal: askedBy,
    question,
    approvalRule: ruleFor(owners),
    decideWithinMs: policyLimits.acceptWithinMs,
    useWithinMs: policyLimits.decideWithinMs,
  }
  return draftProblem(draft) === undefined ? draft : undefined
}

function ruleFor(owners: readonly Approver[]): ApprovalRule {
  return ruleOf([{ anyOf: [[{ from: owners, approvals: 1 }]], excluded: [] }], 1)
}

function isForOwners({ approvalRule }: Pick<Ask, 'approvalRule'>, owners: readonly Approver[]): boolean {
  const required = (rule: ApprovalRule) => canonicalJson(rule.requirements ?? [])
  return owners.length > 0 && required(approvalRule) === required(ruleFor(owners))
}

/** A row that is not accepted has no signature, so its text could be another definition than its digests. */
function isIntact({ digest, descriptionDigest, text }: PinnedDefinition): boolean {
  if (text === '') return false
  const shown = pinnedDefinition(definitionIn(text))
  return shown.digest === digest && shown.descriptionDigest === descriptionDigest
}

function questionAbout(action: Action): Question | undefined {
  try {
    const title = policyText.acceptTitle(action.server, action.tool)
    return { kind: 'approval', title, action, digest: actionDigest(action) }
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function changeDigest({ digest, descriptionDigest }: PinnedDefinition): string {
  return digestOf('changed definition v1', { digest, descriptionDigest })
}
