// Reads the table of features in the README: each row names the tools, commands, settings and packages that it consists of.

export const kinds = ['tool', 'command', 'setting', 'package'] as const
export type Kind = (typeof kinds)[number]

export interface Feature {
  readonly title: string
  readonly names: readonly { readonly kind: Kind; readonly name: string }[]
  /** What was found in the cell and is none of these. */
  readonly unknown: readonly string[]
}

export function featuresIn(readme: string): Feature[] {
  const [, part = ''] = /<!-- features -->\n([\s\S]*?)<!-- end of features -->/.exec(readme) ?? []
  const [, , ...rows] = part.trim().split('\n')
  return rows.map((row) => {
    const [title = '', where = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const groups = where.split(';').map((group) => group.trim())
    return { title, names: groups.flatMap(namesOf), unknown: groups.filter((group) => namesOf(group).length === 0) }
  })
}

/** A group such as "settings `keys`, `store`". */
function namesOf(group: string): Feature['names'] {
  const [, kind] = /^(tool|command|setting|package)s? (?:`[^`]+`(?:, |$))+$/.exec(group) ?? []
  if (kind === undefined) return []
  return [...group.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ kind: kind as Kind, name }))
}
