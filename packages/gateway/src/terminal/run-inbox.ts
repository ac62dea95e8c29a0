// The inbox in a terminal: choose an ask, answer it, come back to the list, until the person leaves.

import type { Person } from '@assent/core'
import { type KeySource, openInBrowser, openTerminal, type Screen } from '@assent/sdk/terminal'
import type { AskDesk } from '../inbox/ask-desk.ts'
import type { ChangeFeed } from '../inbox/changes.ts'
import { linearPatterns } from '../relay/patterns.ts'
import { answerOne } from './answer-one.ts'
import { chooseAsk, type Memory } from './list-screen.ts'
import { LiveAsks } from './live-asks.ts'

export interface TerminalInboxOptions {
  readonly desk: AskDesk
  readonly feed: (onTrouble: (error: unknown) => void) => ChangeFeed
  readonly person: Person
  readonly place: string
  /** Shown first, where there is something to know. */
  readonly notice: string
  readonly input: KeySource
  readonly output: Screen
  readonly signal: AbortSignal
}

export async function runTerminalInbox(options: TerminalInboxOptions): Promise<void> {
  const { desk, person, place, input, output, signal } = options
  const now = Date.now
  const memory: Memory = { selected: undefined, notice: options.notice }
  const onTrouble = () => {
    memory.notice = 'The store cannot be reached just now. The list may be old; it is tried again.'
  }
  const live = new LiveAsks({ desk, feed: options.feed(onTrouble), person, now, onTrouble })
  const ended = new AbortController()
  const terminal = openTerminal({ input, output, openLink: openInBrowser, patterns: linearPatterns })
  try {
    await live.start(ended.signal)
    for (;;) {
      const id = await chooseAsk({ live, input, output, place, now, signal }, memory)
      if (id === undefined) return
      memory.notice = await answerOne(id, { desk, person, terminal, live, now, signal })
      // A terminal that hung up chooses nothing any more.
      if (signal.aborted || input.readableEnded || input.destroyed) return
    }
  } finally {
    ended.abort()
  }
}
