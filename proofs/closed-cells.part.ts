// What can fail, and how: every dependency with every way that means something for it.

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

/** Those that run beside each other: fewer at once than a database has connections for. */
export const waves: readonly (readonly Dependency[])[] = [
  ['database', 'clock'],
  ['NATS', 'identity provider', 'upstream'],
]

export const withoutMeaning: readonly string[] = [
  'a clock is not down, hanging, slow, noisy or half open: it is right or wrong',
  'the clock of the database decides every deadline, so there is none to hold it against',
  'NATS carries names and no times; what a server takes for the time is its own affair',
]

export function nameOf({ dependency, way }: CellName): string {
  return `${dependency} × ${way}`
}
