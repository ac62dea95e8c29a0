// A mistake in a configuration: a message, and where the mistake is.
//
// The line itself is never shown: it may contain a secret.

export interface Problem {
  /** The path of the setting, such as `asks.wait`. Empty for the whole file. */
  readonly path: string
  readonly words: string
  readonly suggestion?: string
  readonly place: ConfigLocation
}

export type ConfigLocation =
  | { readonly kind: 'file'; readonly line: number; readonly column: number }
  | { readonly kind: 'variable'; readonly name: string }

/** Valid, but probably not intended. */
export type Warning = Problem

/** As words of a problem: the name of the setting follows instead of preceding. */
export const unknownSetting = 'Unknown setting'

/** `assent.yaml:3:9: asks.wait must be … Did you mean 10m?` */
export function problemText(file: string, { path, words, suggestion, place }: Problem): string {
  const where = place.kind === 'file' ? `${file}:${place.line}:${place.column}` : `${file} (variable ${place.name})`
  const what = path === '' ? words : words === unknownSetting ? `${words} \`${path}\`` : `${path} ${words}`
  return `${where}: ${what}${/[.?!]$/.test(what) ? '' : '.'}${suggestion === undefined ? '' : ` ${suggestion}`}`
}
