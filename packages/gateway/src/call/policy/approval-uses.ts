// Uses up approvals from the store.
//
// Owns: the attempts of this process that a retry may repeat: those whose use failed with an error, so that it may have been
// committed, and those whose call was not sent.
// I1  An approval is used by one attempt. An attempt belongs to one request at a time.
// I2  An attempt is repeated only after an error, or when its call was certainly not sent. It is forgotten before the call is
//     sent, so it cannot run the call again.
// I3  Attempts are in memory only. Another replica, or this one after a restart, finds the approval used: nothing runs.

import { randomUUID } from 'node:crypto'
import type { GrantUse, Store } from '@assent/store'
import { policyLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import type { Call } from '../model.ts'

type Caller = Pick<Call, 'tenant' | 'principal'>

/** The use of an approval by one request. */
export interface Use {
  /** The call was not sent, so a retry may use the approval. Undefined for a use that cannot be repeated. */
  readonly repeatLater?: () => void
}

export class ApprovalUses {
  readonly #grants: Pick<Store['grants'], 'read' | 'use'>
  /** By tenant and grant, oldest first. */
  readonly #repeatable = new Map<string, string>()

  constructor(grants: Pick<Store['grants'], 'read' | 'use'>) {
    this.#grants = grants
  }

  /**
   * A use if the call may be sent now; `used-before` if another request used the approval, or may have. Undefined if there is
   * none for exactly this action, or if it has expired.
   */
  async use({ tenant, principal }: Caller, askId: string, digest: string): Promise<Use | 'used-before' | undefined> {
    const grant = await this.#grants.read(tenant, askId)
    if (grant === undefined) return undefined
    const used = await this.#attempt({ tenant, id: grant.id, digest, principal, usedBy: 'gateway' })
    if (used !== undefined) return used
    const after = await this.#grants.read(tenant, askId)
    return after?.usedAtMs === undefined ? undefined : 'used-before'
  }

  async #attempt(use: GrantUse): Promise<Use | undefined> {
    const key = compoundKey(use.tenant, use.id)
    const attempt = this.#repeatable.get(key) ?? randomUUID()
    this.#repeatable.delete(key)
    try {
      const isUsed = (await this.#grants.use({ ...use, attempt })) !== undefined
      return isUsed ? { repeatLater: () => this.#keep(key, attempt) } : undefined
    } catch (error) {
      this.#keep(key, attempt)
      throw error
    }
  }

  #keep(key: string, attempt: string): void {
    const [oldest] = this.#repeatable.keys()
    if (oldest !== undefined && this.#repeatable.size >= policyLimits.repeatableUses) this.#repeatable.delete(oldest)
    this.#repeatable.set(key, attempt)
  }
}
