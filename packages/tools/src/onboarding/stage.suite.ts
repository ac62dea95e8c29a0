// Onboarding on a repository of its own, called by a real client with a person behind it. Run by the tests beside it.

import { assentTools } from '../server.ts'
import { type Caller, connect, type Generation, type Person, type Result } from '../stage.suite.ts'
import { type Fixture, type Placed, place } from './fixtures/fixture.suite.ts'
import type { OnboardingSettings } from './settings.ts'

export type Say = Readonly<Record<string, unknown>>

export interface Stage extends Placed {
  readonly caller: Caller
  call(action: string, more?: Record<string, unknown>): Promise<Result>
}

export interface Staging {
  readonly generation: Generation
  /** Without a person the client cannot ask. */
  readonly person?: Person | undefined
  readonly settings?: OnboardingSettings
  readonly nowMs?: () => number
}

export async function staged(fixture: Fixture, staging: Staging): Promise<Stage> {
  const placed = await place(fixture)
  return { ...placed, ...(await joined(placed, staging)) }
}

/** Another client in a repository that is there already. */
export async function joined(
  placed: Placed,
  { generation, person, settings, nowMs }: Staging,
): Promise<Omit<Stage, keyof Placed> & Pick<Placed, 'remove'>> {
  const createServer = assentTools({
    folder: placed.root,
    stateFolder: placed.home,
    ...(settings === undefined ? {} : { onboarding: settings }),
    ...(nowMs === undefined ? {} : { nowMs }),
  })
  const caller = await connect(generation, createServer, person)
  return {
    caller,
    call: (action, more = {}) => caller.call('onboarding', { action, ...more }),
    remove: async () => {
      await caller.close()
      await placed.remove()
    },
  }
}

/** Says yes to everything, as its fields ask. */
export const agreeing: Person = ({ requestedSchema: { properties } }) => {
  const boxes = Object.entries(properties).filter(([, field]) => field.type === 'boolean')
  return { action: 'accept', content: Object.fromEntries(boxes.map(([name]) => [name, true])) }
}

export const declining: Person = () => ({ action: 'decline' })
export const dismissing: Person = () => ({ action: 'cancel' })

export function answering(content: Say): Person {
  return () => ({ action: 'accept', content })
}
