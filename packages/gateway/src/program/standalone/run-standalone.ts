// Standalone mode: a gateway between one client over stdio and one server, the built-in tools. All processes of a user
// share the store, the keys and the inbox.

import { randomUUID } from 'node:crypto'
import type { PresenceSetting } from '@assent/core'
import { homeFolder } from '@assent/tools/home'
import { onlyTenant } from '../../call/local-person.ts'
import { Heartbeat, sweepDeadReplicas } from '../../cluster/heartbeat.ts'
import type { Config } from '../../config/settings.ts'
import { listenerKey } from '../../inbox/listener-proof.ts'
import { programLimits } from '../../limits.ts'
import { sleep } from '../../protocol/sleep.ts'
import { ownVersion } from '../../protocol/version.ts'
import { serveOwnStdio } from '../own-stdio.ts'
import { handleSignals } from '../signals.ts'
import { openState, type State } from '../state.ts'
import { startBackgroundInbox } from './background-inbox.ts'
import { builtinTools, projectFolder } from './builtin-tools.ts'
import { standaloneLimits } from './limits.ts'
import { ownServer } from './own-asker.ts'
import { inboxFile, SharedInbox } from './shared-inbox.ts'
import { workplaceOf } from './workplace.ts'

export interface StandaloneOptions {
  readonly config: Config
  readonly variables: NodeJS.ProcessEnv
  /** The words that start this program, without a command. */
  readonly program: readonly string[] | undefined
  readonly onError: (error: unknown) => void
}

/**
 * Serves the client that started this program, until it disconnects. If a page of the inbox is open then, the inbox continues
 * in a process of its own.
 */
export async function serveClient(standalone: StandaloneOptions): Promise<void> {
  const { config, variables, program, onError } = standalone
  const state = await openState(config, variables, {
    onError,
    onUnverified: ({ message }) => onError(new Error(message)),
  })
  const stopSweeping = startSweeping(state, onError)
  const presence = await presenceInForce(standalone, state)
  const hasInbox = config.asks.surfaces.includes('inbox')
  const inbox = sharedInbox(standalone, state, presence, randomUUID())
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
    onboarding: config.onboarding,
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
      presence,
      inboxUrl: () => inbox.url,
      workplace: () => workplaceOf(folder),
      warmsUpLater: true,
      onError,
    }
    await serveOwnStdio(options)
  } finally {
    clearTimeout(opening)
    const isInUse = inbox.openPages > 0
    await inbox.close()
    await stopSweeping()
    await state.store.close()
    // After the port is free.
    if (isInUse && program !== undefined) startBackgroundInbox(program, variables)
  }
}

/** Serves only the inbox, for a person who started this program by hand, until they stop it. */
export async function serveInbox(
  standalone: StandaloneOptions,
  onReady: (link: string | undefined, inbox: SharedInbox) => void,
): Promise<void> {
  await keepInbox(standalone, async (state, inbox, stop) => {
    onReady(await linkInto(state, inbox), inbox)
    await stop
  })
}

/** Serves only the inbox, in the background, until no page has been open for a while. */
export async function serveInboxWhileUsed(standalone: StandaloneOptions): Promise<void> {
  await keepInbox(standalone, async (_, inbox, stop) => {
    const { backgroundIdleMs, backgroundCheckMs } = standaloneLimits
    const stopping = new AbortController()
    void stop.then(() => stopping.abort())
    let usedAtMs = performance.now()
    // Another process may have been faster, and then serves the inbox.
    while (inbox.isServedHere && !stopping.signal.aborted && performance.now() - usedAtMs < backgroundIdleMs) {
      await sleep(backgroundCheckMs, stopping.signal)
      if (inbox.openPages > 0) usedAtMs = performance.now()
    }
  })
}

async function keepInbox(
  standalone: StandaloneOptions,
  run: (state: State, inbox: SharedInbox, stop: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { config, variables, onError } = standalone
  const state = await openState(config, variables, {
    onError,
    onUnverified: ({ message }) => onError(new Error(message)),
  })
  const stopSweeping = startSweeping(state, onError)
  const presence = await presenceInForce(standalone, state)
  const heartbeat = new Heartbeat(state.store, randomUUID(), onError)
  sweepDeadReplicas(heartbeat, state.store)
  const inbox = sharedInbox(standalone, state, presence)
  // Keeps the process alive, even while another process serves the inbox.
  const alive = setInterval(() => undefined, programLimits.sweepEveryMs)
  const signals = handleSignals(undefined)
  try {
    await inbox.begin()
    await run(state, inbox, signals.stop)
  } finally {
    signals.remove()
    clearInterval(alive)
    await heartbeat.close()
    await inbox.close()
    await stopSweeping()
    await state.store.close()
  }
}

/** @param window the id of this process, if an agent uses it */
function sharedInbox(
  { config, variables, onError }: StandaloneOptions,
  { store, keys, sealKeys }: State,
  presence: PresenceSetting,
  window?: string,
): SharedInbox {
  const listenerKeys = sealKeys.map(({ secret }) => listenerKey(secret))
  return new SharedInbox({
    listen: config.listen,
    file: inboxFile(homeFolder(variables)),
    listenerKeys,
    ...(window === undefined ? {} : { window }),
    onError,
    onStranger: async (port) => {
      await store.signIns.endSessionsAt(onlyTenant, port)
    },
    open: async (origin, closing) => {
      const { openOwnInbox } = await import('./own-inbox.ts')
      const { desktop } = config
      const hasAgent = window !== undefined
      const shown = { origin, presence, desktop, variables, hasAgent }
      return openOwnInbox({ store, keys, listenerKeys, ...shown, closing, onError })
    },
  })
}

async function linkInto({ store }: State, inbox: SharedInbox): Promise<string | undefined> {
  const { ownLink } = await import('./own-inbox.ts')
  const listener = await inbox.listener()
  return inbox.url === undefined || listener === undefined ? undefined : ownLink(store, inbox.url, listener)
}

/**
 * The setting of this process, which is recorded; without one the recorded setting, so that a window or command that is started
 * without the variable does not weaken it.
 */
async function presenceInForce(
  { config, variables, onError }: StandaloneOptions,
  { store }: State,
): Promise<PresenceSetting> {
  if ((variables.ASSENT_INBOX_PRESENCE ?? '') === '') return store.passkeys.recordedSetting(onlyTenant)
  store.passkeys.recordSetting(onlyTenant, config.inbox.presence).catch(onError)
  return config.inbox.presence
}

/** Periodic cleanup, and adding entries to the audit log. */
function startSweeping({ store }: State, onError: (error: unknown) => void): () => Promise<void> {
  const timer = setInterval(() => void store.sweep().catch(onError), programLimits.sweepEveryMs)
  const sequencer = store.startSequencer([onlyTenant], onError)
  return async () => {
    clearInterval(timer)
    await sequencer.stop()
  }
}
