// One server's Assent: its settings, and what its handlers are made with.

import type { KeyObject } from 'node:crypto'
import { type Interactive, interactiveIn } from './interactive.ts'
import { verifyState } from './run/2026-07-28.ts'
import { type AssentSettings, World } from './world.ts'

export interface Assent {
  /** Makes an MCP handler of one that asks. */
  readonly interactive: Interactive
  /**
   * For `new McpServer(info, { requestState: assent.state })` of SDK 2.x: a state that was changed, that is another user's or that is
   * too old is then refused as the protocol has it, before the handler is called. Without it the handler refuses it, in
   * a result that says so. Only where every tool that keeps a state is an interactive one.
   */
  readonly state: { readonly verify: (state: string, context: unknown) => void }
  /** What the receipts of this server's gates are checked with. */
  readonly receipts: { readonly keyId: string; readonly publicKey: KeyObject }
}

export function createAssent(settings: AssentSettings = {}): Assent {
  const world = new World(settings)
  return {
    interactive: interactiveIn(world),
    state: { verify: (state, context) => verifyState(state, world.principalOf(context), world) },
    get receipts() {
      const { keyId, publicKey } = world.signing
      return { keyId, publicKey }
    },
  }
}

/**
 * For servers that need no settings. Its keys are made when the process starts and known to no other: questions that are
 * open when it ends are refused afterwards, and single use holds in this process alone. With more than one replica, or
 * to survive a restart, use `createAssent({ keys, store })`.
 */
export const interactive: Interactive = (handler, options) => byDefault().interactive(handler, options)

let made: Assent | undefined

/** Made at the first use, so that importing this package does nothing. */
function byDefault(): Assent {
  made ??= createAssent()
  return made
}
