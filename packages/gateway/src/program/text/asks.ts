// `assent asks`: its help, and why a command did nothing.

const help = {
  summary: 'list, show and answer asks, for scripts',
  description:
    'Lists, shows and answers your open asks. With --json, standard output is one JSON object: the response of the inbox API, or a problem with a code and a message.',
  json: 'one JSON object on standard output',
  id: 'the complete id of the ask',
}

const list = {
  summary: 'your open asks, newest first',
  description:
    'Lists your open asks, newest first; with --ended, your history. --search, --agent, --project and --all read every page.',
  ended: 'list asks that have ended instead',
  server: 'only asks of this server',
  kind: 'only forms, links (url) or approvals: form, url, approval',
  outcome: 'with --ended: only asks with this outcome, such as approved, declined or expired',
  search: 'only asks that contain all of these words',
  agent: 'only asks of this agent, such as "Claude Code"',
  project: 'only asks from this folder, as the list shows it',
  all: (most: number) => `all pages, at most ${most.toLocaleString('en')} asks`,
  size: 'asks on one page, at most 100',
  cursor: 'the `next` value of the previous page',
  after: `
Examples:
  assent asks list --project notes-service
  assent asks list --ended --outcome declined --search "rollout"
  assent asks list --ended --all --json > history.json      export the history`,
}

const stats = {
  summary: 'how your asks ended, by policy, tool and person',
  description:
    'Counts how the asks that you can see ended: how many were approved, and how long the answers took, by policy, tool and person. A policy with at least five answered asks, all approved within two seconds, is reported: that is too fast to read them.',
  days: 'the period, in days, at most 365',
  invalidDays: '--days must be a number from 1 to 365.',
  none: (days: string) => `No ask ended in the last ${days === '1' ? 'day' : `${days} days`}.`,
  total: (counted: number, yes: number, no: number, took: string) =>
    `${counted} ${counted === 1 ? 'ask' : 'asks'} ended: ${yes} with a yes, ${no} with a no${took}.`,
  took: (duration: string) => `, half of the answers within ${duration}`,
  cut: 'There were more: only the newest are counted.',
  headings: { policies: 'By policy:', tools: 'By tool:', people: 'By person:' },
  line: (name: string, yes: number, total: number, took: string) => `  ${name}: ${yes} of ${total} approved${took}`,
  rubberStamp: '    every ask was approved within two seconds, which is too fast to read it',
}

const show = {
  summary: 'show one ask, with everything needed to answer it',
  description: 'Shows one ask. This does not answer it.',
}

const answer = {
  summary: 'approve, decline or dismiss one ask',
  description: 'Answers one ask: exactly one of --accept, --decline and --dismiss.',
  accept: 'accept: with --content for a form, with --digest for an approval',
  decline: 'a no',
  dismiss: 'dismiss: the agent gets the outcome that no choice was made',
  content: 'the values of the form as JSON, one member per field; - reads standard input',
  comment: 'your reason; `asks show` shows whether the agent receives it or only the audit log',
  confirmed: 'send the answer although something in it looks like a secret',
  digest: 'the digest of the action that you read; required for an approval',
  decisionId: 'idempotency key: the same id is recorded once; random by default',
  after: `
Examples:
  assent asks answer ask_… --accept --content '{"region":"eu"}'
  assent asks answer ask_… --accept --digest sha256:…       an approval: the digest that show prints
  assent asks answer ask_… --decline --comment "wrong region"

Exit codes:
  0  the answer was recorded
  1  the answer is invalid or the digest does not match; the ask is still open
  2  the command line is invalid
  3  the store cannot be reached, or the configuration has identity
  4  no such ask
  5  the ask has ended or was already answered; this answer changed nothing`,
}

const problems = {
  notOneOf: (option: string, allowed: readonly string[], given: string) =>
    `${option} must be one of ${allowed.join(', ')}, not ${JSON.stringify(given)}.`,
  size: '--size must be a number from 1 to 100.',
  outcomeOfOpen: 'Open asks have no outcome yet: use --outcome together with --ended.',
  cursorAndAll: '--cursor reads one page. It cannot be used with --all, --search, --agent or --project.',
  oneChoice: 'Give exactly one of --accept, --decline and --dismiss. Nothing was decided.',
  contentWithoutAccept: '--content is only allowed with --accept. Nothing was decided.',
  toConfirm: (message: string) => `${message} To confirm, add --confirmed.`,
  unknown: (id: string) => `Unknown ask "${id}", or you have no access to it. \`assent asks list\` prints the ids.`,
  noDigest: 'Only an approval has a digest. Nothing was decided.',
  digestNeeded: 'An approval needs --digest, with the digest that `assent asks show` prints. Nothing was decided.',
  otherDigest: 'The digest does not match the action. Read it again with `assent asks show`. Nothing was decided.',
  noForm: 'Only a form takes --content. Nothing was decided.',
  tooLarge: 'The content is too large for an answer.',
  notAnObject: '--content is not a JSON object. The ask is still open.',
  storeUnavailable: 'The store cannot be reached. Retry with the same --decision-id: the answer is recorded once.',
}

export const asksText = { help, list, stats, show, answer, problems }
