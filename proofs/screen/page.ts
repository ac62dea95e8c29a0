// Puts hostile strings into every displayed field of an ask, opens it in a real browser, and checks the page.

import { type AskDraft, actionDigest, type Field, toolDefinitionDigest } from '@assent/core'
import type { Page } from 'playwright-core'
import { type InboxServer, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aForm, anAsk, eitherOfUs } from '../../test-kit/gateway/sample-asks.ts'
import type { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { hostileMarkdown, hostileString, veryLong } from './strings.ts'

export interface Seen {
  strings: number
  pages: number
  scriptRuns: number
  requests: number
  rawCharacters: number
  refusedByPolicy: number
  /** Displayed differently from the API response. */
  altered: number
  /** Texts of an asker of which something is not on the page. */
  hidden: number
}

export function nothingSeen(): Seen {
  return {
    strings: 0,
    pages: 0,
    scriptRuns: 0,
    requests: 0,
    rawCharacters: 0,
    refusedByPolicy: 0,
    altered: 0,
    hidden: 0,
  }
}

const fieldsEach = 8
const argumentsEach = 16

/** Takes hostile strings one after another, and counts them. */
export class Strings {
  readonly #random: SeededRandom
  readonly #seen: Seen
  #place = 0

  constructor(random: SeededRandom, seen: Seen) {
    this.#random = random
    this.#seen = seen
  }

  next(maxChars = 256): string {
    this.#seen.strings++
    return hostileString(this.#random, this.#place++)
      .slice(0, maxChars)
      .toWellFormed()
  }

  /** Several blocks of Markdown with other hostile strings between them. */
  markdown(): string {
    const blocks = Array.from({ length: 8 }, () => `${hostileMarkdown(this.#random)}\n\n${this.next()}`)
    return blocks.join('\n\n').slice(0, 7_000).toWellFormed()
  }

  long(): string {
    this.#seen.strings++
    return veryLong(this.#random).toWellFormed()
  }
}

function hostileApproval(strings: Strings): AskDraft {
  const entries = Array.from({ length: argumentsEach }, () => [strings.next(), strings.next(2_000)] as const)
  const action = {
    server: 'proof',
    tool: 'hostile',
    definitionDigest: toolDefinitionDigest({ name: 'hostile' }),
    arguments: { ...Object.fromEntries(entries), nested: { [strings.next()]: [strings.next(2_000)] } },
  }
  const words = { title: strings.next(), claim: strings.markdown() }
  return anAsk({ kind: 'approval', action, digest: actionDigest(action), ...words }, { approvalRule: eitherOfUs })
}

function hostileForm(strings: Strings): AskDraft {
  const fields = Array.from({ length: fieldsEach }, (_, at): Field => hostileField(strings, at))
  return aForm(strings.markdown(), fields, { approvalRule: eitherOfUs })
}

/** A draft of each kind in turn; links are rarer. */
export function hostileDraft(strings: Strings, turn: number): AskDraft {
  if (turn % 8 === 7) return hostileLink(strings)
  return turn % 2 === 0 ? hostileForm(strings) : hostileApproval(strings)
}

function hostileLink(strings: Strings): AskDraft {
  return anAsk({ kind: 'url', message: strings.long(), url: 'https://accounts.example/' }, { approvalRule: eitherOfUs })
}

function hostileField(strings: Strings, at: number): Field {
  const common = { name: strings.next(100), title: strings.next(), description: strings.next(2_000), required: false }
  const options = () =>
    Array.from({ length: at % 2 === 0 ? 3 : 8 }, () => ({ value: strings.next(200), label: strings.next() }))
  if (at % 4 === 0) return { ...common, kind: 'text', default: strings.next(2_000) }
  if (at % 4 === 1) return { ...common, kind: 'choice', options: options() }
  if (at % 4 === 2) return { ...common, kind: 'choices', options: options() }
  return {
    ...common,
    kind: at % 8 === 3 ? 'boolean' : 'number',
    ...(at % 8 === 3 ? {} : { integer: true, min: 1, max: 5 }),
  } as Field
}

/** Observes a page for its whole lifetime. */
export function watchPage(page: Page, inbox: InboxServer, seen: Seen): void {
  page.on('dialog', (dialog) => {
    seen.scriptRuns++
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    const isOurs = origin === inbox.url && /^\/(?:api\/|assets\/|icon\.svg$|asks\/|history|sign-in$|$)/.test(pathname)
    if (!isOurs) seen.requests++
  })
  page.on('console', (message) => {
    if (/Content.Security.Policy|TrustedHTML|TrustedScript/i.test(message.text())) seen.refusedByPolicy++
  })
}

/** Opens one ask and checks everything on the page: text, attributes and field values. */
export async function lookAt(
  page: Page,
  reader: SigningBrowser,
  place: 'asks' | 'history',
  id: string,
  seen: Seen,
): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/${place}/${id}'); dispatchEvent(new PopStateEvent('popstate'))`)
  // In its state at that place: the card of the place before may still be there.
  const state = place === 'asks' ? 'open' : 'settled'
  await page.locator(`[data-ask="${id}"][data-state="${state}"]`).waitFor()
  const details = page.getByRole('button', { name: /^Details/ })
  if ((await details.count()) > 0) await details.click()
  for (const button of await page.locator('.show-all').all()) await button.click()
  const found = (await page.evaluate(look)) as {
    claim: string | null
    raw: number
    ran: boolean
    drawn: string[]
    markup: number
    where: unknown[]
  }
  const { ask } = (await (await reader.get(`/api/asks/${id}`)).json()) as {
    ask: { headline: string; question: { kind: string; claim?: string; action?: { arguments: { value: string }[] } } }
  }
  if (!isWhole(found.claim ?? '', ask.question.claim ?? '', ask.headline)) {
    console.log(`  not all of it at ${id}: ${escaped(ask.question.claim)}`)
    seen.hidden++
  }
  const expected = ask.question.action?.arguments.map(({ value }) => value) ?? []
  if (JSON.stringify(found.drawn.slice(0, expected.length)) !== JSON.stringify(expected)) seen.altered++
  seen.pages++
  // Escaped, so that it does not affect our own terminal.
  for (const one of found.where) console.log(`  raw at ${id}: ${escaped(one)}`)
  seen.rawCharacters += found.raw
  seen.scriptRuns += (found.ran ? 1 : 0) + found.markup
}

/** Whether every letter and digit is on the page, in its order; the headline may be the card's title instead. */
function isWhole(shown: string, claim: string, headline: string): boolean {
  const essence = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
  const rest = claim.trim().startsWith(headline) ? [claim.trim().slice(headline.length)] : []
  return [claim, ...rest].some((text) => essence(text) === essence(shown))
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// Runs in the page. The character class is core's, and so is the exception: a zero-width joiner between two Arabic letters
// changes their shape and is therefore visible. No other joiner or selector is legitimate in these strings.
const look = String.raw`(() => {
  const raw = /(?![\n\t]|(?<=[\u0626\u0628\u062A-\u062E\u0633-\u063A\u0641-\u0647\u064A])\u200C[\u0622-\u063A\u0641-\u064A])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u1680\u2005\uFFFC]/u
  let found = 0
  const where = []
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
  for (let node = walker.currentNode; node !== null; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) { if (raw.test(node.data)) { found++; where.push([node.parentElement.outerHTML.slice(0, 300), node.data]) } continue }
    for (const { name, value } of node.attributes) if (raw.test(value)) { found++; where.push([node.tagName + ' ' + name, value]) }
    if ('value' in node && typeof node.value === 'string' && raw.test(node.value)) { found++; where.push([node.tagName + ' value', node.value]) }
  }
  if (raw.test(document.title)) found++
  // The numbers of a list are markers and not part of its text.
  for (const item of document.querySelectorAll('.claim ol > li[value]')) item.prepend(item.getAttribute('value') + '. ')
  const claim = document.querySelector('.claim .markdown')
  const markup = document.querySelectorAll('.card :is(script, iframe, object, link, style, base, meta, img, video, math, b, a:not([href^="/"]))')
  return {
    claim: claim === null ? null : claim.innerText,
    raw: found,
    where,
    ran: '__ran' in window,
    drawn: [...document.querySelectorAll('.card .arguments dd')].map((one) => one.textContent),
    markup: markup.length,
  }
})()`

export async function settle(inbox: InboxServer, id: string, strings: Strings): Promise<void> {
  const answer = { action: 'decline', comment: strings.next(1_900) }
  await inbox.store.asks.answer({ tenant, id, person: { principal: 'ben', groups: [] }, via: 'terminal', answer })
}
