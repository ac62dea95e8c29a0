// What can fail, and how: every dependency with every applicable failure.

export type Dependency = 'database' | 'NATS' | 'identity provider' | 'upstream' | 'clock'

export type Failing = 'down' | 'hanging' | 'slow' | 'garbage' | 'half-open' | 'a day ahead' | 'a day behind'

export interface CellName {
  readonly dependency: Dependency
  readonly way: Failing
}

const links: readonly Failing[] = ['down', 'hanging', 'slow', 'garbage', 'half-open']
const days: readonly Failing[] = ['a day ahead', 'a day behind']

export const cells: readonly CellName[] = [
  ...links.map((way) => ({ dependency: 'database', way }) as const),
  ...days.map((way) => ({ dependency: 'clock', way }) as const),
  ...links.map((way) => ({ dependency: 'NATS', way }) as const),
  ...[...links, ...days].map((way) => ({ dependency: 'identity provider', way }) as const),
  ...links.map((way) => ({ dependency: 'upstream', way }) as const),
]

/** Dependencies whose cells run in parallel: limited by the connections of the database. */
export const waves: readonly (readonly Dependency[])[] = [
  ['database', 'clock'],
  ['NATS', 'identity provider', 'upstream'],
]

/** Why some combinations are not in the table. */
export const withoutMeaning: readonly string[] = [
  'a clock can only be wrong: it has no connection that could fail',
  'the clock of the database decides every deadline, so no other clock can show that it is wrong',
  'messages over NATS contain no times, and a server may use any clock',
]

export function nameOf({ dependency, way }: CellName): string {
  return `${dependency} × ${way}`
}
