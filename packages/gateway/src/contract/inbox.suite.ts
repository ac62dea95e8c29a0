// A person at the inbox, scripted: what the store shows them, and what they say.

import type { Ask, Person } from '@assent/core'
import type { Answered, Store } from '@assent/store'
import { until } from './stage.suite.ts'

const ann: Person = { principal: 'ann', groups: [] }

export async function openAsks({ inbox }: Store, person: Person = ann): Promise<readonly Ask[]> {
  return (await inbox.page({ tenant: 'default', person, show: 'open' })).asks
}

export function firstAsk(store: Store, person: Person = ann): Promise<Ask> {
  return until(async () => (await openAsks(store, person))[0])
}

export function answerInInbox({ asks }: Store, { id }: Ask, answer: unknown, person: Person = ann): Promise<Answered> {
  return asks.answer({ tenant: 'default', id, person, via: 'inbox', answer })
}
