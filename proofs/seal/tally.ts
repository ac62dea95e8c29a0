// Counts of what was tried and of what went wrong, and the table that shows them.

/** How often something was tried, and how often it went wrong. */
export interface Tally {
  readonly name: string
  tried: number
  /** Accepted although invalid, refused although valid, or a wrong text or digest. */
  wrong: number
  /** Refused with a distinguishable error, or by another check than the intended one. */
  odd: number
}

export function tally(name: string): Tally {
  return { name, tried: 0, wrong: 0, odd: 0 }
}

export function printTable(title: string, tallies: readonly Tally[], wrong: string, odd: string): void {
  const row = (...[name = '', ...cells]: string[]) => name.padEnd(54) + cells.map((cell) => cell.padStart(12)).join('')
  console.log(row(title, 'tried', wrong, odd))
  for (const each of tallies) console.log(row(`  ${each.name}`, count(each.tried), count(each.wrong), count(each.odd)))
}

export function total(tallies: readonly Tally[]): Tally {
  const sum = (part: 'tried' | 'wrong' | 'odd') => tallies.reduce((so, each) => so + each[part], 0)
  return { name: 'all', tried: sum('tried'), wrong: sum('wrong'), odd: sum('odd') }
}

export function count(number: number): string {
  return number.toLocaleString('en-US')
}
