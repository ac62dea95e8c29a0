// The Assent instance of one server: its settings, and how its handlers are registered.

import type { KeyObject } from 'node:crypto'
import { createInteractive, type Interactive } from './interactive.ts'
import { createRegistration, type Registration } from './register/register.ts'
import { verifyState } from './run/2026-07-28.ts'
import { type AssentSettings, ServerContext } from './server/server-context.ts'

export interface Assent {
  /**
   * Registers a tool that asks with `McpServer` of SDK 1.x or 2.x. The types of the arguments follow from the schema, forms and
   * settings are checked now, and approvals are bound to the tool as it is registered.
   */
  readonly tool: Registration['tool']
  /** The same for a prompt. */
  readonly prompt: Registration['prompt']
  /** The same for a resource, at an address or at a template of addresses. */
  readonly resource: Registration['resource']
  /** Turns a handler that asks into an MCP handler, for everything that `tool`, `prompt` and `resource` do not cover. */
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
  const interactive = createInteractive(serverContext)
  return {
    ...createRegistration(interactive),
    interactive,
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
