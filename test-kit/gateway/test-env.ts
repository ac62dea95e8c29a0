// A store in a new folder and gateways on it, all closed when the test ends.

import type { Store, StoreOptions } from '@assent/store'
import { type Gateway, type GatewayOptions, linearPatterns, startGateway } from 'assent'
import { closeAfterTest } from '../close-after-test.ts'
import { anonymous, personHeader } from '../person-header.ts'
import { openTestStore } from '../store/open.ts'

export interface TestEnv {
  readonly store: Store
  /** The path of the database file. */
  readonly path: string
  /** Starts a gateway on the store. A second one is another replica: it has the same keys. */
  gateway(servers: GatewayOptions['servers'], options?: Partial<GatewayOptions>): Promise<Gateway>
}

export async function openTestEnv(options: Partial<StoreOptions> = {}): Promise<TestEnv> {
  const { store, keys, path, close } = await openTestStore({ patterns: linearPatterns, ...options })
  closeAfterTest(close)
  return {
    store,
    path,
    gateway: async (servers, changes = {}) =>
      closedOnce(
        await startGateway({
          listen: { host: '127.0.0.1', port: 0 },
          servers,
          store,
          keys,
          identify: identifyByHeader,
          ...changes,
        }),
      ),
  }
}

/** A header names the caller. Without it the caller is Ann. */
export const identifyByHeader: NonNullable<GatewayOptions['identify']> = ({ headers }) => {
  const principal = String(headers[personHeader] ?? 'ann')
  return principal === anonymous ? undefined : { principal, groups: [] }
}

/** Closes the gateway when the test ends, unless the test did. */
export function closedOnce(gateway: Gateway): Gateway {
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= gateway.close()
    return closing
  }
  closeAfterTest(close)
  return { ...gateway, close }
}
