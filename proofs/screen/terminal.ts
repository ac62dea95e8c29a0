// The same hostile strings in all terminal output: the list, the prompts and the plain text.
//
// A scripted person answers every prompt, so that all of them are drawn. Colours are off, so the only valid escape
// sequences are the few that move the cursor; any other came from an asker.

import { PassThrough } from 'node:stream'
import { type AskView, askView, type Question, raise } from '@assent/core'
import { openTerminal, penFor, type TerminalAsk } from '@assent/sdk/terminal'
import { askTextOf, listTextOf } from '../../packages/gateway/src/inbox/terminal/ask-text.ts'
import { drawList } from '../../packages/gateway/src/inbox/terminal/draw-list.ts'
import { safeJson } from '../../packages/gateway/src/inbox/terminal/safe-json.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { LabelledLink } from './hosts.ts'
import { hostileDraft, nothingSeen, Strings } from './page.ts'

export interface SeenInTerminal {
  strings: number
  screens: number
  rawCharacters: number
  /** Lines of an asker that begin with one of our markers. */
  forgedLines: number
}

class Keys extends PassThrough {
  readonly isTTY = true
  isRaw = false

  setRawMode(raw: boolean): void {
    this.isRaw = raw
  }
}

class Screen extends PassThrough {
  readonly isTTY = true
  readonly columns = 80
  readonly rows = 24

  /** No colours. */
  getColorDepth(): number {
    return 1
  }
}

// The escape sequences of our prompts: hide and show the cursor, move it, clear from it on.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are escape sequences.
const ours = /\u001b\[(?:\?25[lh]|\d{1,3}[ABCD]|[GJK]|\d{1,3}G|2K)/g
// Characters that must not be on the screen, except for line ends.
const unseen =
  /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u1680\u2005\uFFFC]/gu
/** Selectors and joiners inside an emoji are visible as part of it. */
const emoji = /\p{Extended_Pictographic}\p{Emoji_Modifier}?[\uFE0E\uFE0F]?(?:\u200D\p{Extended_Pictographic}\uFE0F?)*/gu

export async function throughTheTerminal(random: SeededRandom, wanted: number): Promise<SeenInTerminal> {
  const counted = nothingSeen()
  const strings = new Strings(random, counted)
  const seen: SeenInTerminal = { strings: 0, screens: 0, rawCharacters: 0, forgedLines: 0 }
  for (let turn = 0; counted.strings < wanted; turn++) {
    const draft = hostileDraft(strings, turn)
    const asker = { server: strings.next(60), tool: strings.next(100) }
    const ask = raise({ ...draft, asker }, 0)
    const view = askView(ask, { principal: 'ann', groups: [] }, naming)
    const inInbox = { mayLeave: true, isRelayed: true, standing: [strings.next(500)], answers: view.answers }
    const [inside, alone] = await Promise.all([
      answerEveryPrompt(ask.question, { asker, reason: strings.next(500), ...inInbox }),
      answerEveryPrompt(ask.question, { asker, reason: strings.next(500), problem: strings.next(500) }),
    ])
    judge(seen, inside)
    judge(seen, alone)
    for (const text of plainTexts(view, strings.next(300))) judge(seen, text)
  }
  return { ...seen, strings: counted.strings }
}

const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }

/** All output without prompts: the list of open and ended asks, the text of an ask, its JSON. */
function plainTexts(view: AskView, words: string): readonly string[] {
  const settled: AskView = {
    ...view,
    answers: [],
    state: { kind: 'expired', what: view.headline, atMs: 0 },
  }
  const list = { asks: [view, settled], hasMore: true, selected: view.id, place: 'here', nowMs: 1_000 }
  return [
    drawList(penFor(new Screen()), { ...list, notice: view.headline }).join('\n'),
    listTextOf({ asks: [view, settled], nowMs: 1_000 }),
    askTextOf({ ask: view, nowMs: 1_000 }),
    safeJson({ view, words }),
  ]
}

/** Shows one question to a scripted person who presses arrow keys and Enter until it ends; returns all output. */
async function answerEveryPrompt(question: Question, ask: TerminalAsk): Promise<string> {
  const [keys, screen] = [new Keys(), new Screen()]
  let drawn = ''
  screen.on('data', (chunk) => {
    drawn += chunk
  })
  let isOver = false
  const over = openTerminal({ input: keys, output: screen, settleMs: 0 })
    .ask(question, ask)
    .then(() => {
      isOver = true
    })
  // A long action is shown completely first; then every prompt gets its last option or the suggestion.
  const pressed = ['s', '\r', ...Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? '\u001b[A' : '\r'))]
  for (const key of pressed) {
    if (isOver) break
    keys.write(key)
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  keys.write('\u0003')
  await over
  // A missing part of the output would weaken the proof.
  const last = question.kind === 'form' ? 'Give these answers?' : question.kind === 'url' ? 'leads to' : 'Your decision'
  if (!drawn.includes(last)) throw new Error(`The output does not contain “${last}”.`)
  return drawn
}

function judge(seen: SeenInTerminal, drawn: string): void {
  seen.screens++
  // The line editor ends its lines with a carriage return; together with the line feed it is the end of a line.
  const text = drawn.replaceAll('\r\n', '\n').replace(ours, '')
  seen.rawCharacters += rawCharactersIn(text)
  // No text of an asker may be in the first column of a prompt: it contains only our markers.
  const lines = text.split('\n')
  for (const [at, line] of lines.entries()) {
    if (!/^(?:\[ Approve|EVIL|<script)/.test(line)) continue
    console.log(`  forged line: ${JSON.stringify(lines.slice(Math.max(0, at - 2), at + 2))}`)
    seen.forgedLines++
  }
}

/** The number of characters in a text that a person could not see. */
export function rawCharactersIn(text: string): number {
  const raw = text.replace(emoji, '').match(unseen) ?? []
  const shown = [...new Set(raw)].map((one) => `U+${one.codePointAt(0)?.toString(16)}`)
  if (raw.length > 0) console.log(`  raw in a text: ${shown.join(' ')}`)
  return raw.length
}

/** Whether the person is warned: nothing to approve, or a danger above the decision. */
export async function isFlaggedInTerminal({ url }: LabelledLink): Promise<boolean> {
  const [keys, screen] = [new Keys(), new Screen()]
  let drawn = ''
  screen.on('data', (chunk) => {
    drawn += chunk
  })
  const taken = new AbortController()
  const ask = { isRelayed: true, mayLeave: true, signal: taken.signal } as const
  const over = openTerminal({ input: keys, output: screen, settleMs: 0 }).ask(
    { kind: 'url', message: 'Open', url },
    ask,
  )
  setImmediate(() => taken.abort())
  await over
  if (!drawn.includes('asks you to open a page')) throw new Error('The link was not shown.')
  return drawn.includes('danger:')
}
