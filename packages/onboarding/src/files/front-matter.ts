// The lines between `---` at the head of a rule file.
//
// Not YAML: Cursor writes `globs: *.ts,**/*.tsx`, which no YAML parser accepts. A key, a value or a list of them is all
// that any agent uses, so that is all that is read; what cannot be read is ignored.

export interface FrontMatter {
  /** Lines it takes, with both fences; zero when there is none. */
  readonly lines: number
  readonly fields: ReadonlyMap<string, readonly string[]>
}

const none: FrontMatter = { lines: 0, fields: new Map() }

export function readFrontMatter(lines: readonly string[]): FrontMatter {
  if (lines[0]?.trimEnd() !== '---') return none
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) return none
  const fields = new Map<string, string[]>()
  let key: string | undefined
  for (const line of lines.slice(1, end)) {
    const item = /^\s*-\s+(.+?)\s*$/.exec(line)
    if (item?.[1] !== undefined && key !== undefined) {
      fields.get(key)?.push(unquoted(item[1]))
      continue
    }
    const pair = /^([A-Za-z][\w-]*):\s*(.*?)\s*$/.exec(line)
    if (pair?.[1] === undefined) continue
    key = pair[1]
    fields.set(key, valuesOf(pair[2] ?? ''))
  }
  return { lines: end + 1, fields }
}

function valuesOf(text: string): string[] {
  const inner = /^\[(.*)\]$/.exec(text)?.[1] ?? unquoted(text)
  return splitOutsideBraces(inner)
    .map((part) => unquoted(part.trim()))
    .filter((part) => part !== '')
}

/** At commas, but not in `*.{ts,tsx}`. */
function splitOutsideBraces(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

function unquoted(text: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(text) ?? []
  return quote === undefined ? text : (inner ?? '')
}
