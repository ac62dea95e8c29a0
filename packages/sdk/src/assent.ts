// The Assent instance of one server: its settings, and `interactive` for its handlers.

import type { KeyObject } from 'node:crypto'
import { createInteractive, type Interactive } from './interactive.ts'
import { verifyState } from './run/2026-07-28.ts'
import { type AssentSettings, ServerContext } from './server/server-context.ts'

export interface Assent {
  /** Turns a handler that asks into an MCP handler. */
  readonly interactive: Interactive
  /**
   * For `new McpServer(info, { requestState: assent.state })` of SDK 2.x: a state that was changed, that is another user's or that is
   * too old is then refused with a protocol error, before the handler is called. Without it the handler refuses it with
   * an error result. Use it only if every tool that keeps a state is an interactive one.
   */
  readonly state: { readonly verify: (state: string, context: unknown) => void }
  /** The public key that verifies the receipts of this server's gates. */
  readonly receipts: { readonly keyId: string; readonly publicKey: KeyObject }
}

export function createAssent(settings: AssentSettings = {}): Assent {
  const serverContext = new ServerContext(settings)
  return {
    interactive: createInteractive(serverContext),
    state: { verify: (state, context) => verifyState(state, serverContext.principalOf(context), serverContext) },
    get receipts() {
      const { keyId, publicKey } = serverContext.signing
      return { keyId, publicKey }
    },
  }
}

/**
 * For servers that need no settings. Its keys are generated when the process starts and belong to this process only: questions that are
 * open when it ends are refused afterwards, and single use is guaranteed in this process only. With more than one replica, or
 * to survive a restart, use `createAssent({ keys, store })`.
 */
export const interactive: Interactive = (handler, options) => defaultAssent().interactive(handler, options)

let sharedAssent: Assent | undefined

/** Created on first use, so that importing this package does nothing. */
function defaultAssent(): Assent {
  sharedAssent ??= createAssent()
  return sharedAssent
}
