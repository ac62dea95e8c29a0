// The tools of Assent as the one server behind the gateway, in this process.

import { createHmac } from 'node:crypto'
import type { SealKey } from '@assent/core'
import type { Store } from '@assent/store'
import { describeTools } from '@assent/tools/description'
import { onlyTenant } from '../local-person.ts'
import type { InnerServer } from '../upstream/inner-server.ts'

/** What asks that come from the tools are shown as. */
export const ownServer = 'agent'

export interface OwnTools {
  readonly folder: string
  readonly home: string
  /** How long the tools wait for a person, where the user set it. */
  readonly waitMs: number | undefined
  readonly version: string
  readonly store: Store
  readonly sealKeys: readonly SealKey[]
}

export function ownTools({ folder, home, waitMs, version, store, sealKeys }: OwnTools): InnerServer {
  const { info, capabilities, instructions } = describeTools(version)
  return {
    description: { info, capabilities, instructions },
    connect: async (say) => {
      // Only now: a client's first request is answered without them.
      const { assentTools, connectTools } = await import('@assent/tools')
      const createServer = assentTools({
        folder,
        stateFolder: home,
        ...(waitMs === undefined ? {} : { waitMs, onboarding: { waitMs } }),
        version,
        store,
        tenant: onlyTenant,
        keys: sealKeys.map(derived),
        onDecision: async (decision) =>
          store.audit.append(onlyTenant, [{ subject: 'checkpoint', body: { ...decision } }]),
      })
      const connection = connectTools(createServer, (message) => say(message as Parameters<typeof say>[0]))
      return { receive: (message) => connection.receive(message), close: () => connection.close() }
    },
  }
}

/** A key for the tools alone: what they seal is nothing that the gateway would open, and the other way round. */
function derived({ id, secret }: SealKey): SealKey {
  return { id, secret: createHmac('sha256', secret).update('assent tools v1').digest() }
}

/** The project that the agent works on, as far as its client says. */
export function projectFolder(variables: NodeJS.ProcessEnv, here: string): string {
  return variables.ASSENT_PROJECT || variables.CLAUDE_PROJECT_DIR || here
}
