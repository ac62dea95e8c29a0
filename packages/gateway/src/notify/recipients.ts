// Who gets the messages about an ask, by which channel.

import { type Approver, type Ask, mayDecide } from '@assent/core'
import { approversOf, type PeopleNames } from '@assent/policy'
import type { NotifySettings } from '../config/notify-settings.ts'
import { own } from '../protocol/own.ts'

export interface Delivery {
  /** Unique for this ask. */
  readonly key: string
  /** The name of the channel. */
  readonly channel: string
  /** The address of a mail. */
  readonly address?: string
}

export interface RecipientSettings {
  readonly notify: Pick<NotifySettings, 'to' | 'channels'>
  /** Of the subjects in `notify.to` and in the groups. */
  readonly issuer?: string | undefined
  /** The members of the groups that `notify.to` names. */
  readonly groups?: PeopleNames['groups']
}

/** One delivery per channel, or per address for mails, however many approvers share it. */
export function deliveriesOf(ask: Pick<Ask, 'approvalRule'>, settings: RecipientSettings): Delivery[] {
  const { notify, issuer } = settings
  const deliveries = ask.approvalRule.approvers.flatMap((approver) => {
    const ofGroups = channelsOfGroups(approver, settings)
    if (!approver.startsWith('person:')) return byChannels(notify, [...(own(notify.to, approver) ?? []), ...ofGroups])
    const principal = approver.slice('person:'.length)
    // A person who is named and excluded cannot decide.
    if (!mayDecide(ask.approvalRule, { principal, groups: [] })) return []
    const subject = subjectOf(principal, issuer)
    const ofPerson = own(notify.to, approver) ?? own(notify.to, `person:${subject}`)
    const isNamed = ofPerson !== undefined || ofGroups.length > 0
    return byChannels(notify, isNamed ? [...(ofPerson ?? []), ...ofGroups] : own(notify.to, 'person:*'), subject)
  })
  return [...new Map(deliveries.map((delivery) => [delivery.key, delivery])).values()]
}

/** The channels of all groups from `groups` in which this approver is a member. */
function channelsOfGroups(approver: Approver, { notify, issuer, groups = {} }: RecipientSettings): string[] {
  const names = { groups, ...(issuer === undefined ? {} : { issuer }) }
  const withApprover = Object.keys(groups).filter((name) => approversOf(name, names).includes(approver))
  return withApprover.flatMap((name) => own(notify.to, name) ?? [])
}

function byChannels(
  { channels }: RecipientSettings['notify'],
  names: readonly string[] = [],
  subject?: string,
): Delivery[] {
  return names.flatMap((channel): Delivery[] => {
    const mail = own(channels, channel)?.mail
    if (mail === undefined) return [{ key: channel, channel }]
    const ofSubject = mail.domain === undefined ? undefined : addressOf(subject, mail.domain)
    const addresses = ofSubject === undefined ? mail.to : [ofSubject]
    return addresses.map((address) => ({ key: `${channel} ${address}`, channel, address }))
  })
}

function subjectOf(principal: string, issuer: string | undefined): string {
  return issuer !== undefined && principal.startsWith(`${issuer}#`) ? principal.slice(issuer.length + 1) : principal
}

// A subject comes from the identity provider, and the address is written into the header of a mail.
const localPart = /^[A-Za-z0-9._+-]{1,64}$/

/** Undefined if this subject cannot be a mail address. */
function addressOf(subject: string | undefined, domain: string): string | undefined {
  if (subject === undefined) return undefined
  const suffix = `@${domain.toLowerCase()}`
  const name = subject.toLowerCase().endsWith(suffix) ? subject.slice(0, -suffix.length) : subject
  return localPart.test(name) ? `${name}@${domain}` : undefined
}
