// The card of an ask: who asks, what will happen, what was checked and claimed, the answers, the outcome.

import type { AskView, ButtonView, CallView, NamedOutcome } from '@assent/core'
import { code, type Part, strong } from './parts.ts'

type AskKind = 'form' | 'url' | 'secret' | 'approval' | 'policy' | 'definition'

/** After the name of the asker. */
const asks: Readonly<Record<AskKind, string>> = {
  form: 'has a question',
  url: 'asks you to open a page',
  secret: 'asks for a secret',
  approval: 'asks for your approval',
  policy: 'needs approval',
  definition: 'changed the definition of a tool',
}
const asked: Readonly<Record<AskKind, string>> = {
  form: 'asked a question',
  url: 'asked you to open a page',
  secret: 'asked for a secret',
  approval: 'asked for your approval',
  policy: 'needed approval',
  definition: 'changed the definition of a tool',
}

function askerParts(ask: Pick<AskView, 'asker' | 'caller' | 'question' | 'onBehalfOf'>): readonly Part[] {
  const { asker, caller = {}, question, onBehalfOf } = ask
  if (question.kind === 'approval' && question.policies !== undefined) {
    const program = caller.client === undefined ? '' : ` (${caller.client})`
    return onBehalfOf.isYou ? ['Your call', program] : ['A call by ', strong(onBehalfOf.name), program]
  }
  if (asker.isAgent !== true) return [strong(asker.server)]
  const { client = asker.server, folder, branch } = caller
  const place = folder === undefined ? [] : [' in ', strong(folder)]
  return [strong(client), ...place, branch === undefined ? '' : ` (${branch})`]
}

const deadline = {
  expiresIn: 'Expires in',
  mayEndEarlier: 'The server may stop waiting earlier.',
  lastSeen: (ago: string) => `The agent was last seen ${ago}.`,
}

/** Below the title: what a yes leads to. */
const consequences = {
  irreversible: 'This cannot be undone.',
  irreversibleBy: (by: string) => `This cannot be undone, according to ${by}.`,
  destructiveTool: 'The server declares this tool as destructive.',
  destructivePolicy: 'A policy marks this as destructive.',
  reversible: 'This can be undone.',
  touches: (what: string) => `Affects ${what}.`,
}

const action = {
  /** An ask that has ended may have run nothing. */
  runs: (tool: string, server: string, hasArguments: boolean, isOpen: boolean): readonly Part[] => [
    isOpen ? 'Runs ' : 'Call ',
    code(tool),
    ' on ',
    code(server),
    hasArguments ? ' with:' : ', without arguments',
  ],
  /** A definition that an owner of the policies accepts: nothing is called. */
  defines: (tool: string, server: string): readonly Part[] => ['Definition of ', code(tool), ' on ', code(server)],
  /** Under a title that names the tool and the server. */
  given: (hasArguments: boolean): readonly Part[] => [hasArguments ? 'With these arguments:' : 'Without arguments'],
  /** Assent knows the call; what the server does after a yes is the server's claim. */
  calls: ({ kind, name, arguments: given }: CallView, server: string): readonly Part[] => [
    `${kind === 'tool' ? 'Call' : kind === 'prompt' ? 'Prompt' : 'Resource'} `,
    code(name),
    ' on ',
    code(server),
    given === undefined ? '.' : given.length > 0 ? ' with:' : kind === 'resource' ? '.' : ', without arguments',
  ],
  tooLarge: 'The arguments are too large to show here.',
  declaredBy: (server: string, hasArguments: boolean) =>
    hasArguments
      ? `${server} set these values. Your approval is valid only for exactly these values.`
      : `${server} declared this call. Your approval is valid only for exactly this call.`,
  fromCall: (names: readonly string[]) => `Sent by the agent: ${names.join(', ')}.`,
}

const secret = {
  explain: (server: string) =>
    `Your browser encrypts it for ${server}. Neither your agent nor Assent can read it. Send only what you would type into ${server} itself.`,
  plainHttp:
    'This page was loaded over plain http, where browsers do not allow encryption, so no secret can be sent from here. Open the inbox over https.',
  send: 'Send secret',
  label: 'Secret',
  show: 'Show what I type',
  hide: 'Hide what I type',
  missing: 'Type or paste the secret first.',
  tooLong: (kib: number) => `This is too long: at most ${kib} KiB can be sent.`,
  canClose: 'You can close this page.',
  pageTitle: 'Send a secret',
}

const link = {
  note: 'Note: ',
  danger: '⚠ Danger: ',
  cannotApprove: 'It cannot be opened from here. You can decline or dismiss this.',
  explain: 'Approve first. A link then appears here, and the page opens only when you press that link.',
  open: (host: string) => `Open ${host} in a new tab`,
}

/** The call during which a server asks. */
const call = {
  askedIn: ({ kind, name, arguments: given }: CallView, server: string): readonly Part[] => [
    kind === 'tool' ? 'Asked during the call ' : `Asked during the ${kind} `,
    code(name),
    ' on ',
    code(server),
    given?.length === 0 && kind !== 'resource' ? ', without arguments' : given === undefined ? '' : ':',
  ],
  askedInOneOf: (count: number, server: string): readonly Part[] => [
    `Asked during one of ${count} calls on `,
    code(server),
  ],
  oneOfNote: (server: string) =>
    `${server} did not name the call. Your answer goes to ${server} and does not approve any of these calls.`,
  one: ({ kind, name, arguments: given }: CallView): readonly Part[] => [
    kind === 'tool' ? '' : `${kind} `,
    code(name),
    given?.length === 0 && kind !== 'resource' ? ', without arguments' : '',
  ],
}

/** Who asks and for whom, where the rest of the card does not show it. */
function provenance({
  server,
  tool,
  origin,
  program,
  person,
}: {
  readonly server: string
  readonly tool?: string | undefined
  readonly origin?: string | undefined
  readonly program: string
  readonly person?: string | undefined
}): readonly (readonly Part[])[] {
  return [
    tool === undefined ? [] : ['Tool ', code(tool)],
    origin === undefined ? [] : [`${server} is ${origin}`],
    program === '' ? [] : ['Called by ', strong(program)],
    person === undefined ? [] : ['On behalf of ', strong(person)],
  ].filter((parts) => parts.length > 0)
}

const checked = {
  heading: 'Checked by Assent',
  problems: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
}

const claim = {
  says: (by: string) => `${by} says`,
  unchecked: 'Not checked by Assent',
}

const facts = {
  /** @param needs from whom, which begins with the number if one group gives all approvals */
  quorum: (approvals: number, needed: number, needs: string): readonly Part[] => {
    const count = `${needed} ${needed === 1 ? 'approval' : 'approvals'}`
    const rest = needs.startsWith(`${count} from `) ? needs.slice(count.length) : `: ${needs}`
    return [strong(`${approvals} of ${count}`), `${rest}.`]
  },
  rule: (declinesNeeded: number) =>
    declinesNeeded === 1 ? 'One decline rejects it.' : `${declinesNeeded} declines reject it.`,
  completes: (needed: number) => (needed === 1 ? 'Yours is enough.' : 'Yours is the last one needed.'),
  policies: (names: readonly string[]) =>
    `Required by the ${names.length === 1 ? 'policy' : 'policies'} ${names.map((name) => `“${name}”`).join(', ')}.`,
  voted: (name: string, hasApproved: boolean, ago: string) => `${name} ${hasApproved ? 'approved' : 'declined'} ${ago}`,
  you: 'You',
  showDetails: (digest: string | undefined) => `Details (JSON${digest === undefined ? '' : `, digest ${digest}…`})`,
  hideDetails: 'Hide details',
  digest: 'Digest',
  waitingForOthers: 'You have answered. Other people still have to decide.',
  decidedByOthers: 'Other people decide this. You see it because your call waits for it.',
}

const draft = {
  offered: 'You began to answer this question before.',
  use: 'Use what you wrote',
  discard: 'Discard it',
}

const comment = {
  add: 'Add a comment',
  label: 'Comment',
  optional: 'optional',
  sentTo: (by: string) => `Will be sent to ${by}.`,
  recordOnly: 'Not sent to the agent; kept in the audit log.',
  sentWithDecline: 'The caller gets it if you decline. It is kept in the audit log.',
  recordOnlyUnlessAnswered: (by: string) => `Sent to ${by} if you answer; otherwise only kept in the audit log.`,
  wasSent: 'Comment, sent to the agent',
  wasKept: 'Comment, not sent to the agent',
}

const answers = {
  sends: (value: string) => `sends “${value}”`,
  suggested: 'suggested',
  /** The key that sends a form. */
  sendKey: (isMac: boolean) => (isMac ? '⌘ Enter' : 'Ctrl Enter'),
  more: 'More',
  decline: 'Decline to answer',
  declineHelp: 'The agent gets a no.',
  dismiss: 'Dismiss',
  dismissHelp: 'The agent gets no answer.',
  copyLink: 'Copy link',
  copyLinkHelp: 'For another person who may answer.',
  /** Instead of a yes, until everything on the card has been shown. */
  showAll: (size: string, { label }: Pick<ButtonView, 'label'>) =>
    `Show all ${size} to ${label === 'Approve' ? 'approve' : label === 'Yes' ? 'answer Yes' : 'answer'}`,
  readFirst: 'Read to the end of the card first. Then the key works.',
  passkey: 'Accepting this asks for your passkey.',
  needsReason: 'Approving this needs a reason: write it in the comment.',
  sendAnyway: 'Send it anyway',
  passkeys: 'Passkeys',
  tooLate: 'Your answer came too late and changed nothing.',
  uncertain: 'It is not certain that this arrived. Send it again: it counts once.',
}

const undo = {
  sentIn: (label: string) => `“${label}” is sent in`,
  seconds: 's.',
  undo: 'Undo',
  notSent: 'It was not sent, because the inbox could not be reached. Answer again.',
}

const shownText = {
  showAll: (size: string) => `Show all ${size}`,
  lines: (count: number) => `${count.toLocaleString('en')} lines`,
  characters: (count: number) => `${count.toLocaleString('en')} characters`,
}

const lateNote = {
  written: 'You had written',
  note: (headline: string, written: string) =>
    `I did not answer in time: "${headline}"${written === '' ? '' : ` I would have answered: ${written}`} Please ask me again.`,
  forAgent: 'A message for the agent',
  copy: 'Copy a message for the agent',
  copied: 'Copied',
}

/** The other asks for the same action. */
const sameAction = {
  heading: 'The same action',
  others: (count: number) =>
    count === 1 ? 'One other ask wants exactly the same action:' : `${count} other asks want exactly the same action:`,
  approve: (count: number) => (count === 1 ? 'Approve it too' : `Approve these ${count} too`),
  notApproved: 'Not approved:',
  calledBy: (program: string) => `called by ${program}`,
  forPerson: (name: string) => `on behalf of ${name}`,
}

const outcomes: Readonly<Record<NamedOutcome, string>> = {
  yes: 'Yes',
  no: 'No',
  approved: 'Approved',
  changes_requested: 'Changes requested',
  paused: 'Paused',
  cancelled: 'Cancelled',
  answered: 'Answered',
  declined: 'Declined',
  dismissed: 'Dismissed',
  undelivered: 'Too late',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
  unseen: 'Never shown',
  undeliverable: 'Undeliverable',
}

/** After a text from the gateway that has no full stop of its own. */
const sentence = (text: string) => `${text}.`
/** "You declined this, 3 min ago." */
const endedAgo = (what: string, ago: string): readonly [before: string, time: string, after: string] => [
  `${what}, `,
  ago,
  '.',
]

export const cardText = {
  asks,
  asked,
  askerParts,
  deadline,
  consequences,
  action,
  secret,
  link,
  call,
  provenance,
  checked,
  claim,
  facts,
  draft,
  comment,
  answers,
  undo,
  shownText,
  lateNote,
  sameAction,
  outcomes,
  sentence,
  endedAgo,
}
