// Compares docs/behaviour.md with the titles of all tests: every promise has a test, and every test cites a promise.
import type { TestTitle } from './titles.ts'

export interface Listed {
  readonly ids: readonly string[]
  readonly problems: readonly string[]
}

const id = '[A-Z]+-[1-9][0-9]*'

/** Reads lines such as `- **ASK-4** Of two answers that arrive together, exactly one counts.` */
export function readPromises(markdown: string): Listed {
  const ids: string[] = []
  const problems: string[] = []
  for (const [index, line] of withoutFences(markdown).entries()) {
    const promise = new RegExp(`^- \\*\\*(${id})\\*\\* \\S`).exec(line)?.[1]
    if (promise !== undefined) {
      if (ids.includes(promise)) problems.push(`line ${index + 1}: ${promise} is listed twice`)
      ids.push(promise)
    } else if (/^\s*([-*+]|\d+\.)?\s*(\*\*|__)\[?[A-Za-z]+[-_ ]?\d+/.test(line)) {
      // A misspelt promise must be reported instead of being skipped.
      problems.push(`line ${index + 1}: looks like a promise but is not of the form "- **ASK-4** Sentence."`)
    }
  }
  return { ids, problems }
}

export function judgePromises(listed: Listed, titles: readonly TestTitle[]): string[] {
  const problems = [...listed.problems]
  const shown = new Set<string>()
  for (const { file, line, title, shows } of titles) {
    const cited = citedBy(title)
    if (title === null)
      problems.push(`${file}:${line} has a title that is computed at run time; start it with its promise id`)
    else if (cited.length === 0) problems.push(`${file}:${line} cites no promise: ${title}`)
    for (const promise of cited) {
      if (!listed.ids.includes(promise))
        problems.push(`${file}:${line} cites ${promise}, which docs/behaviour.md does not list`)
      if (shows) shown.add(promise)
    }
  }
  for (const promise of new Set(listed.ids)) {
    if (!shown.has(promise)) problems.push(`${promise} has no test that shows it`)
  }
  return problems
}

/** `[ASK-4] [STORE-2] of two answers …` cites both; an id later in a title does not count. */
function citedBy(title: string | null): string[] {
  const [ids = ''] = new RegExp(`^(\\[${id}\\] )+`).exec(title ?? '') ?? []
  return ids.match(new RegExp(id, 'g')) ?? []
}

function withoutFences(markdown: string): string[] {
  let inside = false
  return markdown.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) inside = !inside
    return isFence || inside ? '' : line
  })
}
