// Rules between the settings of messages to approvers: the channels of recipients, and what each channel needs.

import { isIP } from 'node:net'
import { PlainNetworks } from '../cluster/plain-networks.ts'
import { isRoutable, StatedNetworks } from '../protocol/networks.ts'
import { unknownGroup } from './group-names.ts'
import { nearest } from './nearest.ts'
import {
  type ChannelSettings,
  type NotifySettings,
  ntfyTopic,
  type SmtpSettings,
  type WebhookSettings,
} from './notify-settings.ts'
import type { RuleFinding } from './server-rules.ts'
import type { Config } from './settings.ts'

export function notifyProblems({ notify, asks, groups }: Pick<Config, 'notify' | 'asks' | 'groups'>): RuleFinding[] {
  if (notify === undefined) return []
  const problems: RuleFinding[] = []
  const report = (path: string, words: string, suggestion: string) =>
    problems.push({ path: path === '' ? 'notify' : `notify.${path}`, words, suggestion })
  if (!asks.surfaces.includes('inbox'))
    report('', 'needs the inbox, which its links open', 'Add inbox to asks.surfaces.')
  if (Object.keys(notify.to).length === 0) {
    const example = 'For example: to: { group:release-managers: [chat] }'
    report('to', 'is required: it states which channels notify whom', example)
  }
  const networks = new StatedNetworks(notify.networks)
  for (const [name, channel] of Object.entries(notify.channels)) {
    if (channel.webhook !== undefined) webhookProblems(`channels.${name}.webhook`, channel.webhook, networks, report)
    if (channel.mail !== undefined) mailProblems(`channels.${name}.mail`, channel.mail, notify.smtp, report)
  }
  recipientProblems(notify, groups, report)
  if (notify.smtp !== undefined) smtpProblems(notify.smtp, notify, report)
  return problems
}

type Report = (path: string, words: string, suggestion: string) => void

function recipientProblems({ to, channels }: NotifySettings, groups: Config['groups'], report: Report): void {
  for (const [recipient, names] of Object.entries(to)) {
    const unknown = unknownGroup(recipient, groups)
    if (unknown !== undefined) report(`to.${recipient}`, unknown.words, unknown.suggestion)
    const members = Object.hasOwn(groups, recipient) ? (groups[recipient] ?? []) : [recipient]
    const hasGroup = members.some((member) => member.startsWith('group:'))
    for (const [at, name] of names.entries()) {
      const path = `to.${recipient}.${at + 1}`
      const channel = Object.hasOwn(channels, name) ? channels[name] : undefined
      const meant = nearest(name, Object.keys(channels))
      if (channel === undefined) {
        const suggestion = meant === undefined ? 'Add it to notify.channels.' : `Did you mean ${meant}?`
        report(path, `is ${name}, which is not in notify.channels`, suggestion)
      } else if (channel.mail?.domain !== undefined && hasGroup) {
        report(path, `is ${name}, which has a domain: a group at the issuer has no address`, 'Use a channel with to.')
      }
    }
  }
  const used = new Set(Object.values(to).flat())
  for (const name of Object.keys(channels)) {
    if (!used.has(name)) report(`channels.${name}`, 'has no effect: nothing in notify.to names it', 'Remove it.')
  }
}

function webhookProblems(path: string, webhook: WebhookSettings, networks: StatedNetworks, report: Report): void {
  const { url: address, format, secret, token } = webhook
  if (format === 'standard' && secret === undefined) {
    const suggestion = 'Write whsec_ and then what this command prints: assent config key'
    report(`${path}.secret`, 'is required: receivers verify messages with it', suggestion)
  }
  if (format !== 'standard' && secret !== undefined)
    report(`${path}.secret`, `has no effect with format ${format}`, 'Remove it.')
  if (format !== 'ntfy' && token !== undefined)
    report(`${path}.token`, `has no effect with format ${format}`, 'Remove it.')
  if (format === 'ntfy' && ntfyTopic(address) === undefined)
    report(`${path}.url`, 'has no topic', 'For example: https://ntfy.example.com/approvals')
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const isStated = isIP(host) === 0 ? !networks.isEmpty : networks.contains(host)
  if (address.protocol === 'http:' && !isStated) {
    const suggestion = 'Start it with https://, or state the network in notify.networks.'
    report(`${path}.url`, 'must be an https address: http would send the message in the clear', suggestion)
  } else if (isIP(host) !== 0 && !isStated && !isRoutable(host)) {
    const suggestion = 'State its network in notify.networks if that is intended.'
    report(`${path}.url`, 'is a private address, to which webhooks are refused', suggestion)
  }
}

function mailProblems(
  path: string,
  { to, domain }: NonNullable<ChannelSettings['mail']>,
  smtp: SmtpSettings | undefined,
  report: Report,
): void {
  if (smtp === undefined) report('smtp', 'is required for mails', 'Add notify.smtp.host and notify.smtp.from.')
  if (to.length === 0 && domain === undefined) report(path, 'needs to or domain', 'For example: to: [team@example.com]')
  if (to.length > 0 && domain !== undefined)
    report(path, 'has to and domain: only one is allowed', 'Remove one of them.')
}

function smtpProblems({ host, tls, user, password }: SmtpSettings, notify: NotifySettings, report: Report): void {
  if (Object.values(notify.channels).every(({ mail }) => mail === undefined))
    report('smtp', 'has no effect without a channel for mail', 'Add a channel with mail, or remove it.')
  if ((user === undefined) !== (password === undefined))
    report('smtp', 'needs both user and password', 'Add the other one, or remove both.')
  if (tls !== 'none' || new PlainNetworks(notify.networks).mayContain(host)) return
  const words = 'is none, but the mail server is outside loopback and notify.networks'
  report('smtp.tls', words, 'Use starttls or implicit, or state the network in notify.networks.')
}
