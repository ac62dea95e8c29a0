// What fails during the simulated day, and how much of each resource the busiest minute then needs.

import { assumed } from './assumed.ts'
import type { Minute } from './day.ts'
import {
  type Costs,
  type Demand,
  type Distribution,
  demandOf,
  type Machines,
  type Resource,
  resources,
  type Situation,
} from './demand.ts'

export const failures = ['none', 'a database fails over', 'a zone of gateways is lost', 'NATS is lost'] as const
export type Failure = (typeof failures)[number]

/** A resource during a failure: the load, relative to the planned one, at which there is not enough of it. */
export interface Breaking {
  readonly resource: Resource
  readonly failure: Failure
  readonly atTimes: number
}

/** The situation of a minute while this failure, or its consequence, is at its worst. */
export function situationIn(failure: Failure, { asksPerSecond, open, pages }: Minute, gateways: number): Situation {
  const usual: Situation = {
    asksPerSecond,
    open,
    pages,
    reconnects: 0,
    busiestTimes: 1,
    gatewaysUp: gateways,
    hasSignals: true,
  }
  switch (failure) {
    case 'none':
      return usual
    case 'a database fails over':
      // What its callers and people wanted meanwhile comes in addition.
      return { ...usual, busiestTimes: 1 + assumed.failoverSeconds / assumed.retryWithinSeconds }
    case 'a zone of gateways is lost': {
      const lost = 1 / assumed.zones
      // Calls that the lost gateways held open inside servers are made again.
      const again = (open * assumed.heldShare * lost) / assumed.retryWithinSeconds
      return {
        ...usual,
        asksPerSecond: asksPerSecond + again,
        reconnects: (pages * lost) / assumed.reconnectWithinSeconds,
        gatewaysUp: Math.floor(gateways * (1 - lost)),
      }
    }
    case 'NATS is lost':
      // Gateways poll at the same interval with and without signals. Answers arrive up to two seconds later.
      return { ...usual, hasSignals: false }
  }
}

/** The largest demand of any minute of the day. */
export function worstOfDay(
  failure: Failure,
  day: readonly Minute[],
  costs: Costs,
  machines: Machines,
  spread: Distribution,
): Demand {
  const demands = day.map((minute) =>
    demandOf(costs, machines, spread, situationIn(failure, minute, machines.gateways)),
  )
  const worst = resources.map((resource) => [resource, Math.max(...demands.map((demand) => demand[resource]))])
  return Object.fromEntries(worst) as Demand
}

/** What breaks first: each resource in the failure that needs most of it, if the load grows and the machines do not. */
export function breakingOrder(worst: ReadonlyMap<Failure, Demand>): Breaking[] {
  return resources
    .map((resource) => {
      const [failure, share] = [...worst]
        .map(([name, demand]) => [name, demand[resource]] as const)
        .reduce((most, one) => (one[1] > most[1] ? one : most))
      return { resource, failure, atTimes: 1 / share }
    })
    .filter(({ resource }) => resource !== 'database connections')
    .sort((one, other) => one.atTimes - other.atTimes)
}
