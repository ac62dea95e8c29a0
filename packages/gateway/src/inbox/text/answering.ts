// Why an answer, a filter or a period was refused. The web inbox and the terminal show these texts as they are.

import { inboxLimits } from '../limits.ts'

export const answerRefusals = {
  /** The same for a missing ask and for one that this person may not see. */
  nothingHere: 'Not found, or you do not have access.',
  decisionId: 'An answer needs a decision id of 16 to 64 letters, digits, hyphens and underscores.',
  signInAgain:
    'You decide this as a member of a group, and your groups were confirmed more than 15 minutes ago. Sign out, sign in again, then decide.',
  you: 'you',
  needsOthers: (needs: string) => `You cannot decide this. It needs ${needs}.`,
  unsafeLink: 'The link cannot be opened safely, so there is nothing to approve. Decline or dismiss it.',
  invalidValue: 'A value is missing or invalid. The ask is still open.',
  notEncrypted: 'The secret must be encrypted in the format that our pages send.',
  tooLate: (ending: string) => `Your answer came too late and changed nothing. ${ending}`,
  looksSecret: (found: string) =>
    `${found} What you send reaches the server or the audit log. Nothing was sent: remove it, or confirm.`,
  alreadyVoted: 'You have already answered this. Your first answer counts.',
  noCancel: 'Several people decide this together: approve it, decline it, or leave it to the others.',
  otherAnswer: 'This decision id was already used with another answer. That answer counts.',
  usedBefore: 'This answer was used before.',
  invalidFilter: 'Invalid filter or page size.',
  invalidPeriod: `Statistics cover 1 to ${inboxLimits.statisticsDays} days.`,
  invalidZone: 'The time zone is a number of minutes ahead of UTC.',
  passkey: {
    addOne: 'Accepting this needs a passkey, and you have none. Add one on the page Passkeys (/passkeys) of the inbox.',
    stale: 'The request for your passkey has expired. Try again.',
    notAccepted: (why: string) => `The passkey was not accepted: ${why}. The ask is still open.`,
    /** @param link of the ask, if this surface knows it */
    inInbox: (link: string | undefined) =>
      `Accepting this needs your passkey. Open it in the web inbox${link === undefined ? '' : `: ${link}`}`,
    needed: 'Accepting this needs your passkey.',
  },
}
