// A scripted person at the inbox: reads open asks from the store and answers them.

import type { Ask, Person } from '@assent/core'
import type { AnswerResult, Store } from '@assent/store'
import { until } from '../until.ts'

const ann: Person = { principal: 'ann', groups: [] }

export async function openAsks({ inbox }: Store, person: Person = ann): Promise<readonly Ask[]> {
  return (await inbox.page({ tenant: 'default', person, show: 'open' })).asks
}

export function firstAsk(store: Store, person: Person = ann): Promise<Ask> {
  return until(async () => (await openAsks(store, person))[0])
}

export function answerInInbox(
  { asks }: Store,
  { id }: Ask,
  answer: unknown,
  person: Person = ann,
): Promise<AnswerResult> {
  return asks.answer({ tenant: 'default', id, person, via: 'inbox', answer })
}
