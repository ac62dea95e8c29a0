// Proof: a server's text is only data. Hostile strings in every field that the web inbox displays, in a real browser, and
// in all terminal output; and deceptive links next to harmless ones, on both.
//
// No script runs, nothing is fetched, no invisible character is on the page, and actions are displayed exactly as in the
// API response. Links are checked as the card shows them: flagged or not.

import { inspect } from 'node:util'
import type { Measurement } from '../../scripts/measurement.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { type InboxServer, startInboxServer } from '../../test-kit/gateway/inbox-server.ts'
import { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { isFlagged, labelledLinks } from './hosts.ts'
import { throughNotifications } from './notifications.ts'
import { hostileDraft, lookAt, nothingSeen, type Seen, Strings, settle, watchPage } from './page.ts'
import { isFlaggedInTerminal, throughTheTerminal } from './terminal.ts'

const benignFlaggedMost = 0.01

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const seen = nothingSeen()
  const inbox = await startInboxServer()
  try {
    await throughTheBrowser(inbox, random, quick ? 700 : 5_500, seen)
  } finally {
    await inbox.close()
  }
  // The same seed gives the same strings again.
  const inTerminal = await throughTheTerminal(seededRandom(seed), quick ? 700 : 5_500)
  const notified = throughNotifications(seededRandom(seed), quick ? 700 : 5_500)
  const links = await judgeLinks(random, quick ? 40 : 150)
  console.log(
    `page: ${seen.pages} checked, ${seen.refusedByPolicy} resources blocked by the policy, ${seen.altered} actions displayed differently, ${seen.hidden} texts not in full`,
  )
  for (const line of links.missed) console.log(`  not flagged: ${line}`)
  for (const line of links.wronglyFlagged) console.log(`  wrongly flagged: ${line}`)
  for (const error of inbox.errors) console.log(`  error in the background: ${inspect(error)}`)
  const errors = inbox.errors.length
  const reached =
    seen.strings >= (quick ? 700 : 5_000) &&
    inTerminal.strings >= (quick ? 700 : 5_000) &&
    inTerminal.rawCharacters + inTerminal.forgedLines === 0 &&
    notified.strings >= (quick ? 700 : 5_000) &&
    notified.rawCharacters + notified.altered === 0 &&
    seen.scriptRuns +
      seen.requests +
      seen.rawCharacters +
      seen.refusedByPolicy +
      seen.altered +
      seen.hidden +
      errors ===
      0 &&
    links.missed.length === 0 &&
    links.wronglyFlagged.length < benignFlaggedMost * links.benign
  return {
    reached,
    figure:
      `screen: ${seen.strings.toLocaleString('en-US')} hostile strings on ${seen.pages} pages, ${seen.scriptRuns} script runs, ` +
      `${seen.requests} requests, ${seen.rawCharacters} raw characters, ${seen.hidden} texts with hidden parts; ${inTerminal.strings.toLocaleString('en-US')} on ` +
      `${inTerminal.screens} terminal screens, ${inTerminal.rawCharacters} raw, ${inTerminal.forgedLines} forged lines; ${notified.strings.toLocaleString('en-US')} in ` +
      `${notified.commands} commands of notifications, ${notified.altered} altered, ${notified.rawCharacters} raw; ${links.unsafe} unsafe links, ${links.missed.length} ` +
      `not flagged; ${links.benign} honest ones, ${links.wronglyFlagged.length} flagged; ${errors} errors`,
  }
}

async function throughTheBrowser(inbox: InboxServer, random: SeededRandom, wanted: number, seen: Seen): Promise<void> {
  const strings = new Strings(random, seen)
  const browser = await aBrowser()
  try {
    const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage()
    page.setDefaultTimeout(120_000)
    watchPage(page, inbox, seen)
    const ann = { principal: 'ann', groups: [] }
    await page.goto(await inbox.linkFor(ann))
    // A second browser of the same person, to compare the page with the API response.
    const reader = await SigningBrowser.signIn(await inbox.linkFor(ann))
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    for (let turn = 0; seen.strings < wanted; turn++) {
      const { id } = await inbox.store.asks.raise(hostileDraft(strings, turn))
      await lookAt(page, reader, 'asks', id, seen)
      if (turn % 3 !== 0) continue
      await settle(inbox, id, strings)
      await lookAt(page, reader, 'history', id, seen)
    }
  } finally {
    await browser.close()
  }
}

async function judgeLinks(random: SeededRandom, each: number) {
  const missed: string[] = []
  const wronglyFlagged: string[] = []
  let unsafe = 0
  let benign = 0
  for (const link of labelledLinks(random, each)) {
    const [onPage, inTerminal] = [isFlagged(link.url), await isFlaggedInTerminal(link)]
    // A link counts as flagged if both surfaces flag it; as wrongly flagged if either does.
    const flagged = link.unsafe ? onPage && inTerminal : onPage || inTerminal
    if (link.unsafe) unsafe++
    else benign++
    if (link.unsafe && !flagged) missed.push(`${link.url} (${link.made})`)
    if (!link.unsafe && flagged) wronglyFlagged.push(link.url)
  }
  return { missed, wronglyFlagged, unsafe, benign }
}
