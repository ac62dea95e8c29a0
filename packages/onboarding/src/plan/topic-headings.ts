// Chooses a heading for a rule without one.

interface Topic {
  readonly heading: string
  /** Matches a rule that belongs there. */
  readonly words: RegExp
  /** Matches a heading with the same meaning. */
  readonly like: RegExp
}

const general: Topic = { heading: 'General', words: /(?:)/, like: /^(?:general|overview|rules|instructions)\b/ }

/** Checked in this order. */
const rows: readonly Topic[] = [
  {
    heading: 'Security',
    words: /\b(?:secrets?|passwords?|credentials?|security|sanitis\w*|sanitiz\w*|injection|api keys?)\b/i,
    like: /\bsecur/,
  },
  {
    heading: 'Commits and reviews',
    words: /\b(?:commits?|branch(?:es)?|pull requests?|PRs?|merge|reviews?|changelog|push)\b/i,
    like: /\b(?:commits?|pull requests?|git|reviews?|contribut)/,
  },
  {
    heading: 'Tests',
    words: /\b(?:tests?|testing|coverage|mocks?|fixtures?|vitest|jest|pytest)\b/i,
    like: /\btest/,
  },
  {
    heading: 'Style',
    words:
      /\b(?:style|format\w*|lint\w*|naming|names?|indent\w*|quotes?|semicolons?|camelcase|snake_case|types?|typescript|comments?|functions?|components?|imports?|exports?|variables?|classes)\b/i,
    like: /\b(?:style|conventions?|formatting|code)\b/,
  },
  {
    heading: 'Build and run',
    words: /\b(?:builds?|install\w*|compile|run|start|serve|deploy\w*|docker|make|npm|pnpm|yarn|dependenc\w+)\b/i,
    like: /\b(?:build|setup|set up|commands?|development|getting started|install)/,
  },
]

export const topicOrder: readonly string[] = [
  general.heading,
  'Build and run',
  'Style',
  'Tests',
  'Commits and reviews',
  'Security',
]

export function topicOf(text: string): { readonly heading: string; readonly like: RegExp } {
  return rows.find(({ words }) => words.test(text)) ?? general
}

export const generalTopic: { readonly heading: string; readonly like: RegExp } = general
