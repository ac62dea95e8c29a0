// Assent's built-in tools as the only server behind the gateway, in this process.

import { createHmac } from 'node:crypto'
import type { SealKey } from '@assent/core'
import { compact } from '@assent/core'
import { onboardingInstructions } from '@assent/onboarding/description'
import type { Store } from '@assent/store'
import { describeTools } from '@assent/tools/description'
import { onlyTenant } from '../../call/local-person.ts'
import type { Config } from '../../config/settings.ts'
import type { InnerServer } from '../../servers/inner-server.ts'

export interface BuiltinTools {
  readonly folder: string
  readonly home: string
  /** How long the tools wait for a person, if the user set it. */
  readonly waitMs: number | undefined
  /** Settings of the tool `onboarding`. */
  readonly onboarding: Config['onboarding']
  readonly version: string
  readonly store: Store
  readonly sealKeys: readonly SealKey[]
}

export function builtinTools(options: BuiltinTools): InnerServer {
  const { folder, home, waitMs, onboarding, version, store, sealKeys } = options
  const { info, capabilities, instructions } = describeTools(version, [onboardingInstructions])
  return {
    description: { info, capabilities, instructions },
    connect: async (send) => {
      // Loaded here because a client's first request does not need them.
      const { assentTools, connectTools } = await import('@assent/tools')
      // Loads only the tool definition; the first call loads the rest of the package.
      const { registerOnboarding } = await import('@assent/onboarding')
      const createServer = assentTools({
        folder,
        stateFolder: home,
        ...compact({ waitMs }),
        version,
        store,
        tenant: onlyTenant,
        keys: sealKeys.map(derived),
        additional: [
          {
            instructions: onboardingInstructions,
            register: (server, assent) =>
              registerOnboarding(server, assent, {
                folder,
                home,
                waitMs: onboarding.wait ?? waitMs,
                ...compact({ stateFolder: onboarding.folder, rollbackMs: onboarding.rollback }),
              }),
          },
        ],
        onDecision: async (decision) =>
          store.audit.append(onlyTenant, [{ subject: 'checkpoint', body: { ...decision } }]),
      })
      const connection = connectTools(createServer, (message) => send(message as Parameters<typeof send>[0]))
      return { receive: (message) => connection.receive(message), close: () => connection.close() }
    },
  }
}

/** A separate key for the tools: neither they nor the gateway can open what the other has sealed. */
function derived({ id, secret }: SealKey): SealKey {
  return { id, secret: createHmac('sha256', secret).update('assent tools v1').digest() }
}

/** The project folder of the agent: from its client's variables, else the working directory. */
export function projectFolder(variables: NodeJS.ProcessEnv, here: string): string {
  return variables.ASSENT_PROJECT || variables.CLAUDE_PROJECT_DIR || here
}
