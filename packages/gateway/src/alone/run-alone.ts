// `assent` by itself: the gateway with one server behind it, our own tools, and one client before it, on standard input
// and output. Store, keys and inbox are this user's, and all their windows share them.

import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { homeFolder } from '@assent/tools/home'
import { hearSignals } from '../cli/signals.ts'
import { ownVersion } from '../cli/version.ts'
import type { Config } from '../config/settings.ts'
import { openState, type State } from '../config/state.ts'
import { Heartbeat, sweepDeadReplicas } from '../fleet/heartbeat.ts'
import { serveStdio } from '../gateway.ts'
import { listenerKey } from '../inbox/listener-proof.ts'
import { aloneLimits, programLimits } from '../limits.ts'
import { onlyTenant } from '../local-person.ts'
import { ownServer, ownTools, projectFolder } from './own-tools.ts'
import { inboxFile, SharedInbox } from './shared-inbox.ts'

export interface Alone {
  readonly config: Config
  readonly variables: NodeJS.ProcessEnv
  readonly onTrouble: (error: unknown) => void
}

/** Serves the client that started this program, until it leaves. */
export async function serveClient(alone: Alone): Promise<void> {
  const { config, variables, onTrouble } = alone
  const state = await openState(config, variables, {
    onTrouble,
    onUnverified: ({ message }) => onTrouble(new Error(message)),
  })
  const stopSweeping = sweeping(state, onTrouble)
  const hasInbox = config.asks.surfaces.includes('inbox')
  const inbox = sharedInbox(alone, state)
  // Not waited for, and not at once: a client that starts us waits for its first answer.
  const opening = setTimeout(() => {
    if (hasInbox) inbox.begin().catch(onTrouble)
  }, aloneLimits.inboxAfterMs)
  const input = new PassThrough()
  process.stdin.pipe(input)
  const signals = hearSignals(undefined)
  void signals.stop.then(() => {
    process.stdin.destroy()
    input.end()
  })
  const { asks } = config
  const tools = ownTools({
    folder: projectFolder(variables, process.cwd()),
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
      warmsUpLater: true,
      onTrouble,
    }
    await serveStdio(options, input, process.stdout)
  } finally {
    signals.forget()
    clearTimeout(opening)
    await inbox.close()
    stopSweeping()
    await state.store.close()
  }
}

/** Serves the inbox alone, for a person who started this program by hand, until they stop it. */
export async function serveInbox(
  alone: Alone,
  tell: (link: string | undefined, inbox: SharedInbox) => void,
): Promise<void> {
  const { config, variables, onTrouble } = alone
  const state = await openState(config, variables, {
    onTrouble,
    onUnverified: ({ message }) => onTrouble(new Error(message)),
  })
  const stopSweeping = sweeping(state, onTrouble)
  const heartbeat = new Heartbeat(state.store, randomUUID(), onTrouble)
  sweepDeadReplicas(heartbeat, state.store)
  const inbox = sharedInbox(alone, state)
  // Something must keep the process alive: it may only be looking after an inbox that another one serves.
  const alive = setInterval(() => undefined, programLimits.sweepEveryMs)
  const signals = hearSignals(undefined)
  try {
    await inbox.begin()
    tell(await linkInto(state, inbox), inbox)
    await signals.stop
  } finally {
    signals.forget()
    clearInterval(alive)
    await heartbeat.close()
    await inbox.close()
    stopSweeping()
    await state.store.close()
  }
}

function sharedInbox({ config, variables, onTrouble }: Alone, { store, sealKeys }: State): SharedInbox {
  const listenerKeys = sealKeys.map(({ secret }) => listenerKey(secret))
  return new SharedInbox({
    listen: config.listen,
    file: inboxFile(homeFolder(variables)),
    listenerKeys,
    onTrouble,
    onStranger: async (port) => {
      await store.signIns.endAt(onlyTenant, port)
    },
    open: async (origin) => {
      const { openOwnInbox } = await import('./own-inbox.ts')
      return openOwnInbox(store, origin, listenerKeys, onTrouble)
    },
  })
}

async function linkInto({ store }: State, inbox: SharedInbox): Promise<string | undefined> {
  const { ownLink } = await import('./own-inbox.ts')
  const listener = await inbox.listener()
  return inbox.url === undefined || listener === undefined ? undefined : ownLink(store, inbox.url, listener)
}

function sweeping({ store }: State, onTrouble: (error: unknown) => void): () => void {
  const timer = setInterval(() => void store.sweep().catch(onTrouble), programLimits.sweepEveryMs)
  return () => clearInterval(timer)
}
