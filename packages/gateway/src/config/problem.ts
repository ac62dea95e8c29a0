// A mistake in a configuration, in words, with the place where it was made.
//
// The line itself is never shown: a secret may stand on it.

export interface Problem {
  /** Of the setting, as one would say it: `asks.wait`. Empty for the file as a whole. */
  readonly path: string
  readonly words: string
  readonly suggestion?: string
  readonly place: Place
}

export type Place =
  | { readonly kind: 'file'; readonly line: number; readonly column: number }
  | { readonly kind: 'variable'; readonly name: string }

/** What is not wrong, and yet probably not meant. */
export type Warning = Problem

/** `assent.yaml:3:9  asks.wait must be … Did you mean 10m?` */
export function tell(file: string, { path, words, suggestion, place }: Problem): string {
  const where = place.kind === 'file' ? `${file}:${place.line}:${place.column}` : `${file} (variable ${place.name})`
  const what = path === '' ? words : `${path} ${words}`
  return `${where}: ${what}${/[.?!]$/.test(what) ? '' : '.'}${suggestion === undefined ? '' : ` ${suggestion}`}`
}
