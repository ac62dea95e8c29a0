// Changes of passkeys and of `inbox.presence`, as texts that people are shown for some days.

import { oneLine } from '@assent/core'
import type { PresenceNotice } from '@assent/store'

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
