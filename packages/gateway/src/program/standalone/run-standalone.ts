// Standalone mode: a gateway between one client over stdio and one server, the built-in tools. All processes of a user
// share the store, the keys and the inbox.

import { randomUUID } from 'node:crypto'
import { homeFolder } from '@assent/tools/home'
import { onlyTenant } from '../../call/local-person.ts'
import { Heartbeat, sweepDeadReplicas } from '../../cluster/heartbeat.ts'
import type { Config } from '../../config/settings.ts'
import { listenerKey } from '../../inbox/listener-proof.ts'
import { programLimits, standaloneLimits } from '../../limits.ts'
import { ownVersion } from '../../protocol/version.ts'
import { serveOwnStdio } from '../own-stdio.ts'
import { handleSignals } from '../signals.ts'
import { openState, type State } from '../state.ts'
import { builtinTools, ownServer, projectFolder } from './builtin-tools.ts'
import { inboxFile, SharedInbox } from './shared-inbox.ts'
import { workplaceOf } from './workplace.ts'

export interface StandaloneOptions {
  readonly config: Config
  readonly variables: NodeJS.ProcessEnv
  readonly onError: (error: unknown) => void
}

/** Serves the client that started this program, until it disconnects. */
export async function serveClient(standalone: StandaloneOptions): Promise<void> {
  const { config, variables, onError } = standalone
  const state = await openState(config, variables, {
    onError,
    onUnverified: ({ message }) => onError(new Error(message)),
  })
  const stopSweeping = startSweeping(state, onError)
  const hasInbox = config.asks.surfaces.includes('inbox')
  const inbox = sharedInbox(standalone, state)
  // Delayed and not awaited, because the client is waiting for its first response.
  const opening = setTimeout(() => {
    if (hasInbox) inbox.begin().catch(onError)
  }, standaloneLimits.inboxAfterMs)
  const { asks } = config
  const folder = projectFolder(variables, process.cwd())
  const tools = builtinTools({
    folder,
    home: homeFolder(variables),
    waitMs: asks.wait,
    version: ownVersion(),
    store: state.store,
    sealKeys: state.sealKeys,
  })
  try {
    const options = {
      servers: { [ownServer]: tools },
      store: state.store,
      keys: state.keys,
      askWaitMs: asks.wait,
      asksEnabled: asks.enabled,
      surfaces: asks.surfaces,
      unseenAfterMs: asks.unseen_after,
      silentAfterMs: asks.silent_after,
      inboxUrl: () => inbox.url,
      workplace: () => workplaceOf(folder),
      warmsUpLater: true,
      onError,
    }
    await serveOwnStdio(options)
  } finally {
    clearTimeout(opening)
    await inbox.close()
    stopSweeping()
    await state.store.close()
  }
}

/** Serves only the inbox, for a person who started this program by hand, until they stop it. */
export async function serveInbox(
  standalone: StandaloneOptions,
  onReady: (link: string | undefined, inbox: SharedInbox) => void,
): Promise<void> {
  const { config, variables, onError } = standalone
  const state = await openState(config, variables, {
    onError,
    onUnverified: ({ message }) => onError(new Error(message)),
  })
  const stopSweeping = startSweeping(state, onError)
  const heartbeat = new Heartbeat(state.store, randomUUID(), onError)
  sweepDeadReplicas(heartbeat, state.store)
  const inbox = sharedInbox(standalone, state)
  // Keeps the process alive, even while another process serves the inbox.
  const alive = setInterval(() => undefined, programLimits.sweepEveryMs)
  const signals = handleSignals(undefined)
  try {
    await inbox.begin()
    onReady(await linkInto(state, inbox), inbox)
    await signals.stop
  } finally {
    signals.remove()
    clearInterval(alive)
    await heartbeat.close()
    await inbox.close()
    stopSweeping()
    await state.store.close()
  }
}

function sharedInbox({ config, variables, onError }: StandaloneOptions, { store, sealKeys }: State): SharedInbox {
  const listenerKeys = sealKeys.map(({ secret }) => listenerKey(secret))
  return new SharedInbox({
    listen: config.listen,
    file: inboxFile(homeFolder(variables)),
    listenerKeys,
    onError,
    onStranger: async (port) => {
      await store.signIns.endSessionsAt(onlyTenant, port)
    },
    open: async (origin, closing) => {
      const { openOwnInbox } = await import('./own-inbox.ts')
      const { desktop } = config
      return openOwnInbox({ store, origin, listenerKeys, desktop, variables, closing, onError })
    },
  })
}

async function linkInto({ store }: State, inbox: SharedInbox): Promise<string | undefined> {
  const { ownLink } = await import('./own-inbox.ts')
  const listener = await inbox.listener()
  return inbox.url === undefined || listener === undefined ? undefined : ownLink(store, inbox.url, listener)
}

function startSweeping({ store }: State, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => void store.sweep().catch(onError), programLimits.sweepEveryMs)
  return () => clearInterval(timer)
}
