// Notifies the local person of new questions, through the operating system, and opens the inbox if they have no page open.
//
// Owns: the questions that the person has not been notified of yet.
// I1  A notification shows who asks and the title of the question, never its arguments.
// I2  A question that ends at once needs no notification, and many questions share one.
// I3  A tab opens only if the person has no page of the inbox open, and not again soon after.

import { type AskView, type ChangeView, whoAsks } from '@assent/core'
import { askLink } from '../../call/route/ask-link.ts'
import type { Follower } from '../../inbox/changes.ts'
import type { OpenTab } from '../../inbox/sign-in-routes.ts'
import { notificationText } from '../text/desktop.ts'
import { standaloneLimits } from './limits.ts'
import type { SystemNotification } from './system-notification.ts'

export interface NotifierParts {
  /** The open ask with this id. */
  readonly read: (id: string) => Promise<AskView | undefined>
  readonly inboxUrl: string
  readonly show?: (notification: SystemNotification) => Promise<void>
  readonly openTab?: OpenTab
  readonly hasOpenPage: () => boolean
  /** Whether the person wants neither notifications nor tabs now. */
  readonly isQuiet: () => boolean
  readonly onError: (error: unknown) => void
}

export class AskNotifier implements Follower {
  readonly #parts: NotifierParts
  readonly #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #shownAtMs = Number.NEGATIVE_INFINITY
  #openedAtMs = Number.NEGATIVE_INFINITY
  /** Failures in a row to show a notification. */
  #failures = 0

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  notify({ id, change }: ChangeView): void {
    if (change === 'raised' && this.#waiting.size < standaloneLimits.notificationAsks) this.#waiting.add(id)
    else if (change !== 'voted') this.#waiting.delete(id)
    if (this.#waiting.size === 0 || this.#timer !== undefined || (this.#hasFailed && !this.#mayOpen)) return
    const { notifyAfterMs, notifyEveryMs } = standaloneLimits
    const inMs = Math.max(notifyAfterMs, this.#shownAtMs + notifyEveryMs - performance.now())
    this.#timer = setTimeout(() => void this.#showAll(), inMs)
    this.#timer.unref()
  }

  begin(): void {
    // Questions from before have had their notification.
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  /** A program that is missing, or fails again and again, would fail every time. */
  get #hasFailed(): boolean {
    return this.#failures >= standaloneLimits.notificationFailures
  }

  async #showAll(): Promise<void> {
    const ids = [...this.#waiting]
    this.#waiting.clear()
    this.#timer = undefined
    const { isQuiet, read, inboxUrl, onError } = this.#parts
    try {
      const asks = (await Promise.all(ids.map(read))).filter((ask) => ask?.state.kind === 'open')
      const [first] = asks
      if (first === undefined || isQuiet()) return
      this.#shownAtMs = performance.now()
      const isOne = asks.length === 1
      const notification = isOne ? notificationOf(first, inboxUrl) : notificationOfMany(asks.length, inboxUrl)
      await Promise.all([
        this.#show(notification).catch(onError),
        this.#open(isOne ? new URL(notification.url).pathname : '/').catch(onError),
      ])
    } catch (error) {
      onError(error)
    }
  }

  get #mayOpen(): boolean {
    const { openTab, hasOpenPage } = this.#parts
    if (openTab === undefined || hasOpenPage()) return false
    return performance.now() - this.#openedAtMs >= standaloneLimits.openEveryMs
  }

  async #open(path: string): Promise<void> {
    if (!this.#mayOpen) return
    this.#openedAtMs = performance.now()
    await this.#parts.openTab?.(path)
  }

  async #show(notification: SystemNotification): Promise<void> {
    const { show } = this.#parts
    if (show === undefined || this.#hasFailed) return
    try {
      await show(notification)
      this.#failures = 0
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      this.#failures = isMissing ? Number.POSITIVE_INFINITY : this.#failures + 1
      throw new Error(notificationText.notShown, { cause: error })
    }
  }
}

/** Who asks and the title of the question, never its arguments. */
export function notificationOf(ask: AskView, inboxUrl: string): SystemNotification {
  return { title: whoAsks(ask), text: ask.headline, url: askLink(inboxUrl, ask.id) }
}

function notificationOfMany(count: number, url: string): SystemNotification {
  return { title: notificationText.title, text: notificationText.waiting(count), url }
}

/** Whether the time is within quiet hours such as `22:00-07:00`. */
export function isWithin(hours: string | undefined, now: Date): boolean {
  const [from, to] = (hours ?? '').split('-')
  if (from === undefined || to === undefined) return false
  const time = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`
  return from <= to ? from <= time && time < to : from <= time || time < to
}
