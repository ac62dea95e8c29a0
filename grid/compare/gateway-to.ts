// Starts a gateway in front of servers, in a separate process, for one comparison.

import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Address } from '../../test-kit/mcp/address.ts'
import { commandOf, type Processes } from '../processes.ts'
import { type GatewaySettings, inEnvironment, personHeader, waits } from '../settings.ts'

export interface Standing {
  readonly address: Address
  /** Only for a process that is not started by its client (HTTP). */
  readonly child?: ChildProcess
}

export async function gatewayTo(
  processes: Processes,
  transport: GatewaySettings['transport'],
  servers: GatewaySettings['servers'],
): Promise<Standing> {
  const database = join(processes.directory, `${randomUUID()}.sqlite`)
  const env = inEnvironment({ transport, servers, database, askWaitMs: waits.comparedAskMs })
  if (transport === 'stdio') return { address: commandOf('gateway', env, processes.directory) }
  const { child, url } = await processes.serve('gateway', env)
  return { address: { url, headers: { [personHeader]: 'person' } }, child }
}
