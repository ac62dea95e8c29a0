// Things that can be done in one way only: two statements that choose differently cannot both be followed.
//
// Each row is a topic on which real files differ and for which a pattern can recognise the choice. A topic without a
// clear choice ("be careful with …") has no row, because a false alarm is worse than a missed contradiction.

export interface Topic {
  readonly name: string
  readonly choices: Readonly<Record<string, RegExp>>
  /** The sentence must contain this as well, so that the words have the expected meaning. */
  readonly needs?: RegExp
  /** What the choice is about; only statements about the same thing can contradict each other. */
  readonly about?: RegExp
}

export const topics: readonly Topic[] = [
  {
    name: 'the package manager',
    choices: {
      npm: /\bnpm\b(?! (?:registry|package|publish|token|scope|pack|view|org))/i,
      yarn: /\byarn\b(?!\.lock)/i,
      pnpm: /\bpnpm\b(?!-)/i,
      bun: /\bbun\b(?! ?(?:test|runtime|\.sh))/i,
    },
    needs: /\b(?:package manager|install|dependenc\w+|add|use|run|always|prefer|only)\b/i,
  },
  {
    name: 'the Python package manager',
    choices: { pip: /\bpip\b/i, poetry: /\bpoetry\b/i, uv: /\buv\b/, pipenv: /\bpipenv\b/i, conda: /\bconda\b/i },
    needs: /\b(?:package manager|install|dependenc\w+|add|use|run|always|prefer|only|manage)\b/i,
  },
  {
    name: 'the test framework',
    choices: {
      Jest: /\bjest\b(?!-dom|\.|\s*matchers)/i,
      Vitest: /\bvitest\b/i,
      Mocha: /\bmocha\b/i,
      AVA: /\bAVA\b/,
      'node:test': /\bnode:test\b/i,
    },
  },
  { name: 'the Python test framework', choices: { pytest: /\bpytest\b/i, unittest: /\bunittest\b(?!\.mock)/i } },
  {
    name: 'the formatter',
    choices: { Prettier: /\bprettier\b/i, Biome: /\bbiome\b/i, dprint: /\bdprint\b/i },
    needs: /\bformat/i,
  },
  {
    name: 'the linter',
    choices: { ESLint: /\beslint\b/i, Biome: /\bbiome\b/i, TSLint: /\btslint\b/i, oxlint: /\boxlint\b/i },
    needs: /\blint/i,
  },
  {
    name: 'indentation',
    choices: {
      tabs: /\btabs\b/i,
      '2 spaces': /\b(?:2|two)[ -]spaces?\b/i,
      '4 spaces': /\b(?:4|four)[ -]spaces?\b/i,
      '8 spaces': /\b(?:8|eight)[ -]spaces?\b/i,
    },
    needs: /\bindent|\btabs\b|\bspaces?\b/i,
  },
  {
    name: 'quotes',
    choices: { single: /\bsingle[ -]quot/i, double: /\bdouble[ -]quot/i },
  },
  {
    name: 'semicolons',
    choices: {
      with: /\b(?:use|always|with|end|require|add)\b[^.]*\bsemicolons?\b/i,
      without: /\b(?:no|without|omit|drop)\b(?: \w+){0,2} semicolons?\b/i,
    },
  },
  {
    name: 'how names are written',
    choices: {
      camelCase: /\bcamel ?case\b/i,
      snake_case: /(?<!upper_|screaming_|upper |screaming )\bsnake[_ ]case\b/i,
      'kebab-case': /\bkebab[- ]case\b/i,
      PascalCase: /\bpascal ?case\b/i,
    },
    about:
      /\b(variables?|functions?|methods?|files?|file names?|filenames?|classes|components?|constants?|tables?|columns?|folders?|directories|branches|endpoints?|modules?|props?|hooks?|types?|interfaces?)\b/gi,
  },
  {
    name: 'the length of a line',
    choices: {
      '72': /\b72\b/,
      '79': /\b79\b/,
      '80': /\b80\b/,
      '88': /\b88\b/,
      '100': /\b100\b/,
      '120': /\b120\b/,
      '140': /\b140\b/,
    },
    needs:
      /\bline (?:length|width)|\blines? (?:of|at|to|under|below|within|shorter|longer|are|is|must|should)\b[^.]*\b(?:characters|columns|chars)\b|\b(?:characters|columns|chars) per line\b|\b(?:max|print)[- ]?(?:len|width|line)/i,
  },
  {
    name: 'the type any',
    choices: {
      allowed:
        /(?:`any`|\bany type\b|\bany\b) (?:is|are) (?:allowed|fine|ok|okay|acceptable)|\b(?:feel free to|you may|may) use (?:`any`|any\b)/i,
      forbidden:
        /\b(?:never|no|avoid|don'?t|do not|not)\b[^.]{0,20}(?:`any`|\bany type\b)|(?:`any`) (?:is|are) (?:forbidden|banned|not allowed|prohibited)/i,
    },
  },
  {
    name: 'where commits go',
    choices: {
      main: /\b(?:commit|push)(?: (?:your|all|changes|work|straight|directly))* (?:directly |straight )?(?:to|on(?:to)?) `?(?:main|master)`?\b/i,
      branches: /\b(?:create|open|use|work on|start)\b[^.]{0,20}\b(?:feature|topic|separate|new) branch/i,
    },
  },
  {
    name: 'the form of commit messages',
    choices: {
      'conventional commits': /\bconventional commits?\b/i,
      'a ticket number first': /\b(?:start|begin|prefix)\w*\b[^.]*\b(?:ticket|issue|jira)\b/i,
    },
    needs: /\bcommit/i,
  },
  {
    name: 'how modules export',
    choices: { 'named exports': /\bnamed exports?\b/i, 'default exports': /\bdefault exports?\b/i },
  },
]

/** Words before a choice that negate it. */
export const turnsRound =
  /\b(?:not|never|don'?t|avoid|no|instead of|rather than|over|without|no longer|replac\w+|migrat\w+ (?:away )?from|moved? (?:away )?from|switch\w* from|deprecat\w+|drop\w*|remov\w+|stop|unlike|isn'?t|aren'?t|nor|versus|vs\.?|than|legacy|old|former\w*)\b[^,;:()]*$/i

/** Words after a choice that negate it. */
export const turnedRound =
  /^[^,;:()]{0,24}\b(?:(?:is|are) (?:not|forbidden|deprecated|banned|prohibited|gone|no longer)|isn'?t|aren'?t|must not|should not|shouldn'?t|won'?t|does not|doesn'?t)\b/i

/** A statement with a condition, or for a part of the repository: it is not compared. */
export const isQualified =
  /\b(?:if|when|whenever|unless|except|exceptions?|only (?:in|for|on|if|when)|where|older|e\.g\.|for example|example|such as|either|or|both|depending|some|mostly|usually|locally|optional\w*|may|can|could|might)\b|\b(?:in|for|inside|within|under|on) (?:the |our |all |any )?(?:`[^`]*`|"[^"]*"|[\w./-]*\/[\w./-]*|python|typescript|javascript|ts|js|tsx|jsx|go|golang|rust|java|kotlin|swift|ruby|php|c\+\+|c#|sql|css|scss|html|yaml|json|jsx|markdown|shell|bash|makefiles?|tests?|docs|documentation|scripts?|examples?|frontend|backend|web|mobile|ios|android|api|server|client|ci|windows|macos|linux|legacy|production|development|e2e|unit)\b/i

/** A heading whose section applies only to a part of the repository. */
export const headingQualifies =
  /\b(?:python|typescript|javascript|go|golang|rust|java|kotlin|swift|ruby|php|sql|css|html|yaml|json|markdown|shell|bash|frontend|front-end|backend|back-end|web|mobile|ios|android|api|server|client|app|service|package|packages|legacy|tests?|e2e|docs|scripts?|examples?|migration|terraform|docker|windows|macos|linux|database)\b|[/`]/i

/** A heading of a section that lists what must not be done. */
export const headingForbids =
  /^(?:don'?ts?|do not|do nots?|never|avoid|bad|anti-?patterns?|forbidden|not allowed|what not to do|things to avoid|prohibited)\b/i

export const isExample =
  /^(?:❌|✅|✗|✓)|^(?:bad|good|wrong|right|incorrect|correct|before|after|example|e\.g\.)\s*[:—-]/iu
