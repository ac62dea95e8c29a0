// Proof: what a server says is data. Hostile strings through every place the web inbox draws, in a real browser, and
// through everything that a terminal is shown; and links that pretend, beside honest ones, on both.
//
// No script runs, nothing is fetched, no character stands on the page that cannot be seen, and what is drawn of an action
// is what the service said. Links are judged as the card shows them: stopped, or not.

import { SigningBrowser } from '../packages/gateway/src/inbox/signing-browser.suite.ts'
import { aBrowser } from '../scripts/inbox/browser.ts'
import { aDesk, type Desk } from '../scripts/inbox/desk.ts'
import type { Measurement } from '../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from './random.part.ts'
import { isFlagged, labelledLinks } from './screen-hosts.part.ts'
import {
  hostileApproval,
  hostileForm,
  hostileLink,
  lookAt,
  nothingSeen,
  type Seen,
  Strings,
  settle,
  watchPage,
} from './screen-page.part.ts'
import { isFlaggedInTerminal, throughTheTerminal } from './screen-terminal.part.ts'

const benignFlaggedMost = 0.01

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const seen = nothingSeen()
  const desk = await aDesk()
  try {
    await throughTheBrowser(desk, random, quick ? 700 : 5_500, seen)
  } finally {
    await desk.close()
  }
  // The same strings again: the same seed.
  const inTerminal = await throughTheTerminal(seededRandom(seed), quick ? 700 : 5_500)
  const links = await judgeLinks(random, quick ? 40 : 150)
  console.log(
    `page: ${seen.pages} looked at, ${seen.refusedByPolicy} things refused by the policy, ${seen.altered} actions drawn otherwise`,
  )
  for (const line of links.missed) console.log(`  missed: ${line}`)
  for (const line of links.wronged) console.log(`  wronged: ${line}`)
  const troubles = desk.troubles.length
  const reached =
    seen.strings >= (quick ? 700 : 5_000) &&
    inTerminal.strings >= (quick ? 700 : 5_000) &&
    inTerminal.rawCharacters + inTerminal.forgedLines === 0 &&
    seen.scriptRuns + seen.requests + seen.rawCharacters + seen.refusedByPolicy + seen.altered + troubles === 0 &&
    links.missed.length === 0 &&
    links.wronged.length < benignFlaggedMost * links.benign
  return {
    reached,
    figure:
      `screen: ${seen.strings.toLocaleString('en-US')} hostile strings on ${seen.pages} pages, ${seen.scriptRuns} script runs, ` +
      `${seen.requests} requests, ${seen.rawCharacters} raw characters; ${inTerminal.strings.toLocaleString('en-US')} on ` +
      `${inTerminal.screens} terminal screens, ${inTerminal.rawCharacters} raw; ${links.unsafe} unsafe links, ${links.missed.length} ` +
      `not flagged; ${links.benign} honest ones, ${links.wronged.length} flagged`,
  }
}

async function throughTheBrowser(desk: Desk, random: SeededRandom, wanted: number, seen: Seen): Promise<void> {
  const strings = new Strings(random, seen)
  const browser = await aBrowser()
  try {
    const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage()
    watchPage(page, desk, seen)
    const ann = { principal: 'ann', groups: [] }
    await page.goto(await desk.linkFor(ann))
    // A second browser of hers, to compare what is drawn with what the service said.
    const reader = await SigningBrowser.signIn(await desk.linkFor(ann))
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    for (let turn = 0; seen.strings < wanted; turn++) {
      const make = [hostileForm, hostileApproval, hostileLink][turn % 8 === 7 ? 2 : turn % 2] ?? hostileForm
      const { id } = await desk.store.asks.raise(make(strings))
      await lookAt(page, reader, 'asks', id, seen)
      if (turn % 3 !== 0) continue
      await settle(desk, id, strings)
      await lookAt(page, reader, 'history', id, seen)
    }
  } finally {
    await browser.close()
  }
}

async function judgeLinks(random: SeededRandom, each: number) {
  const missed: string[] = []
  const wronged: string[] = []
  let unsafe = 0
  let benign = 0
  for (const link of labelledLinks(random, each)) {
    const [onPage, inTerminal] = [isFlagged(link.url), await isFlaggedInTerminal(link)]
    // Stopped means on both; wronged means on either.
    const flagged = link.unsafe ? onPage && inTerminal : onPage || inTerminal
    if (link.unsafe) unsafe++
    else benign++
    if (link.unsafe && !flagged) missed.push(`${link.url} (${link.made})`)
    if (!link.unsafe && flagged) wronged.push(link.url)
  }
  return { missed, wronged, unsafe, benign }
}
