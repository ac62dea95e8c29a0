// What the inbox says about passkeys: why a change was refused, and which changes there were.

import { oneLine, presenceLimits } from '@assent/core'
import type { PresenceNotice } from '@assent/store'

const notAccepted = 'The passkey was not accepted. Try again.'

export const passkeyRefusals = {
  notAccepted,
  confirm: `${notAccepted} Confirm with a passkey that you have.`,
  tooMany: (count: number) => `You have ${count} passkeys. Remove one first.`,
  name: `A passkey needs a name of at most ${presenceLimits.nameChars} characters.`,
  missing: 'it is missing',
  notFresh: 'Your first passkey needs a fresh sign-in. Sign out, sign in again, and add it within five minutes.',
}

/** Changes of passkeys and of `inbox.presence`, as people are shown them for some days. */
export function noticeText(notice: PresenceNotice): string {
  switch (notice.kind) {
    case 'passkey-added':
      return `A passkey was added: ${oneLine(notice.name, 'web')}.`
    case 'passkey-removed':
      return `A passkey was removed: ${oneLine(notice.name, 'web')}.`
    case 'passkey-reset':
      return `A passkey was removed with \`assent passkeys reset\`: ${oneLine(notice.name, 'web')}.`
    case 'presence-weakened':
      return `Fewer decisions need a passkey: inbox.presence was changed from ${notice.from} to ${notice.to}.`
  }
}
