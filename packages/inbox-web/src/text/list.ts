// The list of open asks: its rows, filters, the answers for several asks, and the empty inbox with its example.

const row = {
  select: (headline: string) => `Select: ${headline}`,
  forPerson: (name: string) => `on behalf of ${name}`,
  yourCall: 'Your call',
  calledBy: (server: string, program: string) => `${server}, called by ${program}`,
  risks: {
    irreversible: 'Cannot be undone',
    'said-irreversible': 'Cannot be undone',
    'destructive-tool': 'Destructive tool',
    'destructive-policy': 'Destructive',
    link: 'Suspicious link',
  },
  approvals: (approvals: number, needed: number) => `${approvals} of ${needed} approvals`,
  by: (name: string) => `by ${name}`,
  you: 'you',
}

const list = {
  page: 'Inbox',
  title: 'Waiting for you',
  others: 'Waiting for others',
  none: 'Nothing is waiting for you.',
  noMatch: 'No asks match.',
  select: 'Select an ask from the list.',
  next: (headline: string) => `Next: ${headline}`,
  nothingElse: 'Nothing else is waiting for you.',
  /** After a text without a full stop, and after one with it. */
  ended: (headline: string, what: string) => `Your answer to “${headline}”: ${what}.`,
  refused: (headline: string, why: string) => `Your answer to “${headline}”: ${why}`,
  back: '‹ All',
  more: 'Show more',
}

const filters = {
  search: 'Search',
  agent: 'Agent',
  anyAgent: 'Any agent',
  project: 'Project',
  anyProject: 'Any project',
  selectSeveral: 'Select several',
  stopSelecting: 'Stop selecting',
  showAll: 'Show all',
}

const bulk = {
  heading: 'Selected asks',
  selected: (count: number) => `${count} selected`,
  decline: 'Decline',
  declined: (count: number) => `${count} declined.`,
  dismiss: 'Dismiss',
  dismissed: (count: number) => `${count} dismissed.`,
  selectAll: (count: number) => `Select all ${count}`,
  notAnswered: 'Not answered:',
}

const empty = {
  noAgent: 'No agent is running.',
  noAgentHelp:
    'When you start an agent that uses Assent, its questions appear here. Your history and statistics stay here.',
  help: 'When an agent needs you, its question appears here. To try it, tell your agent: “Ask me before you continue.”',
  showExample: 'Show me an example',
}

const example = {
  heading: 'An example',
  note: 'This is an example. Nothing runs, whatever you answer.',
  agent: 'Your agent',
  folder: 'my-project',
  branch: 'main',
  headline: 'Delete the five artifacts in build/?',
  claim: 'The new build replaces them. Nothing else uses `build/`.',
  field: 'Your answer',
  you: 'you',
  yes: 'Yes',
  no: 'No',
  declined: 'Declined',
  dismissed: 'Dismissed',
  answered: (answer: string) => `You answered the example: ${answer}. Nothing ran`,
}

export const listText = { row, list, filters, bulk, empty, example }
