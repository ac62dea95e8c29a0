// The inbox in a terminal: choose an ask, answer it, return to the list, until the person quits.

import type { Person } from '@assent/core'
import { type KeySource, openInBrowser, openTerminal, type Screen } from '@assent/sdk/terminal'
import { linearPatterns } from '../../call/screen/patterns.ts'
import type { AskService } from '../ask-service.ts'
import type { ChangeFeed } from '../changes.ts'
import { answerOne } from './answer-one.ts'
import { chooseAsk, type Memory } from './list-screen.ts'
import { LiveAsks } from './live-asks.ts'
import { askListText } from './text/ask-list.ts'

export interface TerminalInboxOptions {
  readonly service: AskService
  readonly feed: (onError: (error: unknown) => void) => ChangeFeed
  readonly person: Person
  readonly place: string
  /** The first message, or an empty string. */
  readonly notice: string
  readonly input: KeySource
  readonly output: Screen
  readonly signal: AbortSignal
}

export async function runTerminalInbox(options: TerminalInboxOptions): Promise<void> {
  const { service, person, place, input, output, signal } = options
  const now = Date.now
  const memory: Memory = { selected: undefined, notice: options.notice }
  const onError = () => {
    memory.notice = askListText.outdated
  }
  const live = new LiveAsks({ service, feed: options.feed(onError), person, now, onError })
  const ended = new AbortController()
  const terminal = openTerminal({ input, output, openLink: openInBrowser, patterns: linearPatterns })
  try {
    await live.start(ended.signal)
    for (;;) {
      const id = await chooseAsk({ live, input, output, place, now, signal }, memory)
      if (id === undefined) return
      memory.notice = await answerOne(id, { service, person, terminal, live, now, signal })
      // The terminal was closed: no more input can arrive.
      if (signal.aborted || input.readableEnded || input.destroyed) return
    }
  } finally {
    ended.abort()
  }
}
