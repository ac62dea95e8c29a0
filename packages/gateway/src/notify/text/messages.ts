// What approvers read in mails, chats and notifications about an ask.

const headings = {
  raised: 'Assent: a decision is waiting',
  expiring: 'Assent: a decision is still waiting and expires soon',
  ended: 'Assent: a question has ended',
}

const endings = {
  approved: 'Assent: approved',
  answered: 'Assent: answered',
  declined: 'Assent: declined',
  dismissed: 'Assent: dismissed',
  expired: 'Assent: expired without a decision',
  withdrawn: 'Assent: withdrawn',
}

export const messageText = {
  headings,
  endings,
  expiresAt: (utc: string) => `It expires at ${utc} UTC.`,
  open: 'Open in Assent',
  mail: {
    title: (title: string) => `Title: ${title}`,
    linkOpens: 'The link only opens the question. You decide in Assent, after you have signed in.',
  },
}
