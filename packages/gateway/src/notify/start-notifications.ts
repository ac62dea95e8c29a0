// Starts the messages to approvers, if `notify` is configured, and applies new settings while the gateway runs.

import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import type { InboxUrl } from '../call/route/ask-link.ts'
import type { NotifySettings } from '../config/notify-settings.ts'
import { sleep } from '../protocol/sleep.ts'
import type { Log } from '../telemetry/log.ts'
import type { NotifyMetrics } from '../telemetry/notify-metrics.ts'
import type { Channel } from './channel.ts'
import { type DeliveryReport, Dispatcher, type NotifyInForce } from './dispatcher.ts'
import { notifyLimits } from './limits.ts'
import { mailChannel } from './mail-channel.ts'
import { OutboundGuard } from './outbound-guard.ts'
import { deliveriesOf, type RecipientSettings } from './recipients.ts'
import { webhookChannel } from './webhook-channel.ts'

export interface NotificationSettings {
  readonly notify: NotifySettings | undefined
  /** The issuer of the people in `notify.to` and in the groups. */
  readonly issuer?: string | undefined
  readonly groups?: RecipientSettings['groups']
}

export interface NotificationParts {
  readonly store: Store
  readonly tenant: string
  readonly settings: NotificationSettings
  readonly inboxUrl: InboxUrl
  readonly log: Log
  readonly metrics: NotifyMetrics
  readonly pollMs?: number
}

export interface Notifications {
  /** Whether a channel notifies an approver of this ask: then it is to be announced when it is raised. */
  reaches(ask: Pick<Ask, 'approvalRule'>): boolean
  reload(settings: NotificationSettings): void
  close(): Promise<void>
}

export function startNotifications(parts: NotificationParts): Notifications {
  const { store, tenant, inboxUrl, log, metrics, pollMs = notifyLimits.pollMs } = parts
  const stopped = new AbortController()
  let inForce = inForceOf(parts.settings, store)
  const dispatcher = new Dispatcher({
    outbox: store.outbox,
    tenant,
    read: (askId) => store.asks.read(tenant, askId),
    inForce: () => ({ ...inForce, inboxUrl: (typeof inboxUrl === 'function' ? inboxUrl() : inboxUrl) ?? '' }),
    nowMs: () => store.nowMs(),
    random: Math.random,
    onResult: (report) => logResult(report, log, metrics),
    onError: log.exception,
  })
  const polling = poll()
  return {
    reaches: (ask) => deliveriesOf(ask, inForce).length > 0,
    reload: (settings) => {
      const before = inForce
      inForce = inForceOf(settings, store)
      for (const channel of Object.values(before.open)) channel.close()
    },
    close: async () => {
      stopped.abort()
      await polling
      const done = new AbortController()
      const late = sleep(notifyLimits.closeMs, done.signal).then(() => dispatcher.stop())
      await dispatcher.settled()
      done.abort()
      await late
      for (const channel of Object.values(inForce.open)) channel.close()
    },
  }

  /** Without channels there is nothing to send, and nothing is claimed from gateways that have some. */
  async function poll(): Promise<void> {
    while (!stopped.signal.aborted) {
      let nextMs = pollMs
      try {
        if (Object.keys(inForce.open).length > 0) await dispatcher.claim()
      } catch (error) {
        log.exception(error)
        nextMs = notifyLimits.pollAfterErrorMs
      }
      await sleep(nextMs, stopped.signal)
    }
  }
}

type OpenSettings = Omit<NotifyInForce, 'inboxUrl'>

const none = { to: {}, channels: {}, remind_before: 0 } as const

function inForceOf({ notify, issuer, groups = {} }: NotificationSettings, store: Store): OpenSettings {
  if (notify === undefined) return { notify: none, open: {}, issuer, groups }
  const guard = new OutboundGuard(notify.networks)
  const open = Object.entries(notify.channels).flatMap(([name, { webhook, mail }]): [string, Channel][] => {
    if (webhook !== undefined) return [[name, webhookChannel(webhook, guard, () => store.nowMs())]]
    if (mail === undefined || notify.smtp === undefined) return []
    return [[name, mailChannel(notify.smtp, { networks: notify.networks })]]
  })
  return { notify, open: Object.fromEntries(open), issuer, groups }
}

function logResult(report: DeliveryReport, log: Log, metrics: NotifyMetrics): void {
  const { channel, ask, kind, attempt, result, reason } = report
  metrics.delivered(channel, result)
  const fields = { channel, ask, kind, attempt, reason }
  if (result === 'sent') log.debug(fields, 'A message was sent.')
  else if (result === 'failed') log.warn(fields, 'A message was not sent. It will be tried again.')
  else log.error(fields, 'A message was not sent, and will not be tried again.')
}
