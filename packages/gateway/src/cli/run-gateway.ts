// A gateway as a program: from its configuration to its end.
//
// It opens what it needs in order and closes it in the reverse order. A reload changes nothing unless the whole new
// configuration is sound.

import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Store } from '@assent/store'
import { applyLimits } from '../config/apply-limits.ts'
import { addressText } from '../config/kinds.ts'
import type { Loaded } from '../config/load.ts'
import { knownOf, reloadableOf } from '../config/reloadable.ts'
import type { Config } from '../config/settings.ts'
import { type KeysInForce, openState } from '../config/state.ts'
import type { Page } from '../door/door.ts'
import { type GatewayOptions, serveStdio, startGateway } from '../gateway.ts'
import { resourceOf } from '../identity/identify.ts'
import { programLimits } from '../limits.ts'
import { reasonOf } from '../relay/exchange.ts'
import { Figures } from '../watch/figures.ts'
import { createLog, type Log } from '../watch/log.ts'
import { loggedWatch } from '../watch/logged-watch.ts'
import { scrubber, secretsOf } from '../watch/scrub.ts'
import type { Watch } from '../watch/watch.ts'
import { exitCodes } from './exit-codes.ts'
import { figuresPage, fromHereAlone, openFiguresDoor } from './figures-door.ts'
import { openInbox, type ServedInbox, serveInboxAlone } from './inbox.ts'
import { IssuerInForce } from './issuer-in-force.ts'
import { type Condition, healthPages, identityPages } from './pages.ts'
import { Readiness } from './readiness.ts'
import { type Live, Reloads } from './reload.ts'
import { hearSignals } from './signals.ts'
import type { Terminal } from './terminal.ts'
import { ownVersion } from './version.ts'

export interface Running {
  readonly file: string
  readonly first: Config
  /** Reads the configuration anew. */
  readonly load: () => Loaded
  readonly isStdio: boolean
  readonly terminal: Terminal
}

export async function runGateway({ file, first, load, isStdio, terminal }: Running): Promise<void> {
  const live: Live = { config: first, scrub: scrubber(secretsOf(first)) }
  const log = createLog({ level: first.log.level, scrub: () => live.scrub })
  // What nobody expected ends the process, as it must; but in the log, scrubbed, and not as a stack on the terminal.
  process.once('uncaughtException', (error) => {
    log.trouble(error)
    process.exit(exitCodes.cannotRun)
  })
  if (isStdio && first.identity !== undefined && first.asks.surfaces.includes('inbox')) {
    throw new Error(
      'With --stdio whoever started the client is asked, and nobody else: an inbox that people sign in to by identity would show them nothing. Leave identity out of this configuration.',
    )
  }
  log.info({ file: resolve(file) }, 'Configuration read.')
  applyLimits(first)
  const figures = new Figures(ownVersion())
  const { store, keys, sealKeys } = await openState(first, terminal.variables, {
    onTrouble: log.trouble,
    onStep: (step) => figures.store.step(step),
    onUnverified: ({ tenant, askId, problem, message }) => {
      figures.unverified(problem.what, problem.reason)
      log.error({ tenant, ask: askId, ...problem }, message)
    },
  })
  figures.store.lookAt(store)
  tellHowItWakes(store, log)
  const watch = loggedWatch(figures, log)
  const sweep = async () => {
    const { lost } = await store.sweep()
    if (lost.length > 0) watch.callsLost(lost.length)
  }
  const sweeping = setInterval(() => void sweep().catch(log.trouble), programLimits.sweepEveryMs)
  const issuer = new IssuerInForce(first, log)
  figures.issuer.lookAt(() => issuer.keys)
  try {
    const issuerKeys = () => issuer.keys
    const inbox = await openInbox(first, { store, keys, sealKeys, issuerKeys, log })
    const pages = inbox === undefined ? {} : { secretPages: inbox.secretPages }
    const inForce = { issuerKeys: issuer.keys, origin: () => inbox?.origin }
    const parts = {
      ...reloadableOf(first, () => store.nowMs(), log.trouble, inForce),
      ...ears(watch, log, live),
      ...pages,
      store,
      keys,
    }
    if (isStdio) await serveOne(parts, inbox, first, { log, terminal })
    else await serveMany({ parts, inbox, issuer, keys, figures, live, store, log, terminal, reading: { file, load } })
  } finally {
    issuer.close()
    clearInterval(sweeping)
    await store.close()
  }
  log.info({}, 'Stopped.')
}

/** Which of the ways is in use cannot be seen from the configuration alone. */
function tellHowItWakes({ notifications: { transport }, isPooled }: Store, log: Log): void {
  const fields = { notifications: transport, pooled: isPooled }
  if (transport === 'poll') {
    log.warn(
      fields,
      'The store is reached through a connection pooler, where LISTEN does not work: what other gateways do is found by polling. Set wake to the address of the database itself, or to NATS.',
    )
  } else log.info(fields, 'The store is open.')
}

function ears(watch: Watch, log: Log, live: Live): Pick<GatewayOptions, 'onTrouble' | 'onServerLog' | 'watch'> {
  return {
    onTrouble: log.trouble,
    onServerLog: (server, line) => {
      if (live.config.log.servers) log.info({ server, line }, 'The server printed a line.')
    },
    watch,
  }
}

async function serveOne(
  parts: Omit<GatewayOptions, 'listen'>,
  inbox: ServedInbox | undefined,
  config: Config,
  telling: { log: Log; terminal: Terminal },
): Promise<void> {
  const stopInbox = inbox === undefined ? undefined : await serveInboxAlone(inbox, config, telling)
  const input = new PassThrough()
  process.stdin.pipe(input)
  const signals = hearSignals(undefined)
  void signals.stop.then(() => {
    process.stdin.destroy()
    input.end()
  })
  await serveStdio(parts, input, process.stdout)
  signals.forget()
  stopInbox?.()
}

interface Serving {
  readonly parts: Omit<GatewayOptions, 'listen'>
  readonly figures: Figures
  readonly inbox: ServedInbox | undefined
  readonly issuer: IssuerInForce
  readonly keys: KeysInForce
  readonly live: Live
  readonly store: Store
  readonly log: Log
  readonly terminal: Terminal
  readonly reading: Pick<Running, 'file' | 'load'>
}

async function serveMany(serving: Serving): Promise<void> {
  const { parts, inbox, issuer, keys, figures, live, store, log, terminal, reading } = serving
  const condition: Condition = { resource: undefined }
  let isDraining = false
  const note = ({ identity }: Config) => {
    condition.resource = identity === undefined ? undefined : resourceOf(identity)
  }
  note(live.config)
  const { listen, servers, metrics } = live.config
  const health = healthPages(
    new Readiness({
      store,
      isDraining: () => isDraining,
      areIssuerKeysRead: () => issuer.areKeysRead,
      onChange: (found, error) => {
        if (found === undefined) log.info({}, 'Ready.')
        else log.warn(error === undefined ? {} : { reason: reasonOf(error) }, `Not ready: ${found.reason}`)
      },
    }),
  )
  const pages = { ...health, ...identityPages(condition), ...figuresBeside(figures, live.config) }
  const beside = inbox === undefined ? {} : { beside: inbox.respond }
  const gateway = await startGateway({ ...parts, ...beside, listen, pages }).catch((error: unknown) => {
    throw explained(error, addressText(listen))
  })
  figures.lookAt(gateway.standing, gateway.recount)
  const own = metrics.listen
  const closeFigures =
    own === undefined || !metrics.enabled
      ? () => undefined
      : await openFiguresDoor(own, { ...health, '/metrics': figuresPage(figures) }, () => knownOf(live.config)).catch(
          async (error: unknown) => {
            await gateway.close()
            throw explained(error, addressText(own))
          },
        )
  // Before anyone can know that it is there.
  const reloads = new Reloads({
    ...reading,
    gateway,
    inbox,
    issuer,
    keys,
    live,
    variables: terminal.variables,
    nowMs: () => store.nowMs(),
    log,
    onReloaded: (config) => {
      note(config)
      figures.keepOnly(Object.keys(config.servers))
    },
  })
  const signals = hearSignals(() => reloads.request())
  void issuer.begin()
  log.info({ url: gateway.url, servers: Object.keys(servers).join(' ') }, 'Listening.')
  if (terminal.isOutColoured) terminal.out(`Assent is at ${gateway.url}. Ctrl+C stops it.`)
  await inbox?.openAt(gateway.origin, terminal)
  const signal = await signals.stop
  isDraining = true
  reloads.close()
  const noticeMs = noticeOf(signal, store)
  log.info(
    { signal, withinMs: programLimits.drainMs, noticeMs },
    'Told to stop: not ready any more. Then nothing new is begun, and what runs goes elsewhere or comes to its end.',
  )
  await new Promise((resolve) => setTimeout(resolve, noticeMs))
  inbox?.endStreams()
  await gateway.drain(programLimits.drainMs - noticeMs)
  closeFigures()
  await gateway.close()
  signals.forget()
}

/**
 * How long it still serves as before, so that a balancer sees that it is not ready before anything is refused. Where there is
 * no other gateway to go to, or a person at the terminal waits for the end, there is nothing to wait for.
 */
function noticeOf(signal: NodeJS.Signals, { isShared }: Store): number {
  const { drainMs, drainNoticeMs } = programLimits
  return signal === 'SIGTERM' && isShared ? Math.min(drainNoticeMs, drainMs / 2) : 0
}

/** Without a place of their own they are beside the endpoint, for this machine alone. */
function figuresBeside(figures: Figures, { metrics }: Config): Record<string, Page> {
  return metrics.enabled && metrics.listen === undefined ? { '/metrics': fromHereAlone(figuresPage(figures)) } : {}
}

function explained(error: unknown, place: string): Error {
  const code = (error as NodeJS.ErrnoException).code
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `${place} is taken by another program. Stop it, or give another port as listen.`,
    EADDRNOTAVAIL: `${place} is no address of this machine. Give one as listen.`,
    EACCES: `This user may not listen on ${place}. Take a port above 1023.`,
    ENOTFOUND: `${place} names no host. Give an address of this machine as listen.`,
  }
  const reason = reasons[code ?? '']
  return reason === undefined && error instanceof Error
    ? error
    : new Error(reason ?? 'It cannot listen.', { cause: error })
}
