// Notifies the local person, through the operating system, when a passkey was added or removed or fewer decisions need one.
//
// A program of the same account could do this too, so the person is told even if no page is open.
// I1  Each change is shown once by this process, and only if it happened while this process serves the inbox.

import type { PresenceNotice } from '@assent/store'
import { noticeText } from '../../inbox/text/passkeys.ts'
import type { SystemNotification } from './system-notification.ts'

export interface PasskeyNotifierParts {
  readonly notices: (sinceMs: number) => Promise<readonly PresenceNotice[]>
  readonly nowMs: () => number
  readonly url: string
  readonly show: (notification: SystemNotification) => Promise<void>
}

export class PasskeyNotifier {
  readonly #parts: PasskeyNotifierParts
  #sinceMs: number

  constructor(parts: PasskeyNotifierParts) {
    this.#parts = parts
    this.#sinceMs = parts.nowMs()
  }

  /** Shows what happened since the last look. */
  async look(): Promise<void> {
    const { notices, url, show } = this.#parts
    const found = await notices(this.#sinceMs)
    this.#sinceMs = Math.max(this.#sinceMs, ...found.map(({ atMs }) => atMs + 1))
    for (const notice of found.toReversed()) await show({ title: 'Assent', text: noticeText(notice), url })
  }
}
