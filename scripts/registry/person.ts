// What a person does while a command of a page runs: which keys they press, and which links they open.

export interface Reaction {
  /** In what the command has printed. Each reaction happens once per command. */
  readonly sees: RegExp
  /** Names of keys as tmux knows them, or text. */
  readonly press?: readonly string[]
  /** Opens the first link that was printed, in a browser, and answers Yes. */
  readonly answersInBrowser?: true
}

interface Behaviour {
  readonly command: RegExp
  readonly reactions?: readonly Reaction[]
  /** Must have been printed when the command has ended. */
  readonly prints?: RegExp
  readonly codes?: readonly number[]
  /** If it failed and printed this, the person runs it again, as it says. */
  readonly repeatsIf?: RegExp
  /** Once it has printed this, it stays open, and the person continues in another terminal. At the end of the page they press Ctrl+C. */
  readonly staysOpenAfter?: RegExp
}

const never = /^(?!)/

/** npx asks before it downloads a package. */
const always: readonly Reaction[] = [{ sees: /Ok to proceed\? \(y\)/, press: ['y', 'Enter'] }]

const behaviours: readonly Behaviour[] = [
  {
    command: /^npx assent try$/,
    reactions: [
      { sees: /#code=\S+/, answersInBrowser: true },
      { sees: /Connect your coding agent now\?/, press: ['n', 'Enter'] },
    ],
    prints: /The person said yes/,
  },
  {
    command: /^npx assent init(?!.*--undo)/,
    reactions: [
      { sees: /Which clients should use Assent\?/, press: ['cursor', 'Enter'] },
      { sees: /Write .+\?/, press: ['y', 'Enter'] },
    ],
    // The second time, nothing is left to do.
    prints: /Wrote \d+ files?\.|Everything is set up already/,
  },
  {
    command: /^npx assent init --undo/,
    reactions: [{ sees: /Revert .+\?/, press: ['y', 'Enter'] }],
    prints: /Reverted \d+ files?\.|There is nothing to undo/,
  },
  { command: /^npx assent inbox$/, reactions: [{ sees: /q leaves/, press: ['q'] }] },
  { command: /^npx assent inbox link\b/, prints: /#code=\S+/ },
  { command: /^npx assent gateway$/, prints: /#code=\S+/, staysOpenAfter: /#code=\S+/, codes: [0, 130] },
  // The first start of the program by a client may take longer than doctor waits.
  { command: /^npx assent doctor$/, prints: /Cursor/, repeatsIf: /run assent doctor again/ },
  { command: /^npx assent inbox open$/, prints: /#code=\S+/ },
  { command: /^npx assent(@\S+)? --version$/, prints: /^\d+\.\d+\.\d+/m },
  {
    command: /^node try\.ts$/,
    reactions: [{ sees: /What is your name\?/, press: ['Ada', 'Enter'] }],
    prints: /Hello, Ada!/,
  },
  {
    command: /^node http\.ts$/,
    reactions: [{ sees: /Listening on http/, press: ['C-c'] }],
    prints: /Listening on http/,
    codes: [0, 130],
  },
  { command: /^node --test$/, prints: /pass 2/ },
]

export function behaviourFor(command: string): Required<Omit<Behaviour, 'command'>> {
  const found = behaviours.find((one) => one.command.test(command)) ?? {}
  const { reactions = [], prints = /(?:)/, codes = [0], ...rare } = found as Partial<Behaviour>
  const { repeatsIf = never, staysOpenAfter = never } = rare
  return { reactions: [...always, ...reactions], prints, codes, repeatsIf, staysOpenAfter }
}
