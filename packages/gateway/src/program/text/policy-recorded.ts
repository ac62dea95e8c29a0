// `assent policy test --recorded`: its results.

const calls = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'call' : 'calls'}`

export const recordedText = {
  since: (given: string) => `--recorded must be a duration such as 7d, not ${JSON.stringify(given)}.`,
  casesOrRecorded: 'Give either a file of test cases or --recorded.',
  neither: 'Give a file of test cases, or --recorded 7d for the calls of the last seven days.',
  storeUnavailable: (reason: string) => `The store cannot be opened: ${reason}`,
  none: (since: string) =>
    `No calls were recorded in the last ${since}. Set record: calls, and run this again when the gateway has recorded some.`,
  evaluated: (evaluated: number, all: number, since: string) =>
    `Evaluated ${evaluated.toLocaleString('en')} of ${calls(all)} recorded in the last ${since}.`,
  notEvaluated: (count: number, reason: string) => `  not evaluated: ${calls(count)}: ${reason}`,
  reasons: {
    arguments: (policies: string) =>
      `needed by ${policies}: arguments that were not recorded (record_arguments), or were left out because they look like a secret`,
    definition: (policies: string) =>
      `needed by ${policies}: the definition of the tool; --live reads it from the server`,
    unlisted: 'the server does not list the tool any more',
    address: 'the address of the resource was recorded without a part that looks like a secret',
    other: (policies: string) => `needed by ${policies}: something that is not recorded`,
  },
  unchanged: 'No decision would change.',
  changes: (count: number) =>
    count === 1 ? 'The decision about 1 call would change:' : `The decisions about ${calls(count)} would change:`,
  change: (count: number, before: string, after: string, policies: string, example: string) =>
    `  ${before} → ${after}: ${calls(count)}, now by ${policies}; for example ${example}`,
  example: (server: string, target: string, principal: string, began: Date) =>
    `${server}/${target} by ${principal} at ${began.toISOString()}`,
  noPolicy: 'no policy',
  perPolicy: 'Calls that each policy decides, and how many it decided when they were recorded:',
  policy: (name: string, now: string, before: number) => `  "${name}": ${now} (recorded: ${before})`,
  counts: (allow: number, ask: number, deny: number) => `allow ${allow}, ask ${ask}, deny ${deny}`,
}
