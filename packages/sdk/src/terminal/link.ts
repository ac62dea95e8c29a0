// A link: who is at its other end, what to look at twice, and consent. Nothing is opened unless the person says so.

import { oneLine, type Question, screenUrl, type UrlScreening, visibleText } from '@assent/core'
import { claimLines } from './approval.ts'
import { decide, endedBy, type Settled } from './decide.ts'
import type { Pen } from './pen.ts'
import type { Desk } from './prompts/run-prompt.ts'

type LinkQuestion = Extract<Question, { kind: 'url' }>
type Allowed = Extract<UrlScreening, { ok: true }>

/** Opens a link in the person's browser; only ever called with a screened link that the person chose to open. */
export type OpenLink = (url: string) => Promise<void>

export function screenLink(question: LinkQuestion): UrlScreening {
  return screenUrl(question.url)
}

export function linkHeader(question: LinkQuestion, link: Allowed, pen: Pen): readonly string[] {
  const { host, warnings } = link
  const before = host.unicode.slice(0, host.unicode.length - host.highlight.length)
  const shownHost = `${pen.paint('dim', before)}${pen.paint(['bold', 'underline'], host.highlight)}`
  const asTravels = host.unicode === host.ascii ? '' : pen.paint('dim', `  (${host.ascii})`)
  return [
    // Behind a sign of ours, or a server could write a line that looks like the ones below.
    ...visibleText(question.message, 'terminal')
      .split('\n')
      .map((line) => `${pen.paint('dim', pen.signs.claim)} ${line}`),
    '',
    `leads to  ${shownHost}${asTravels}`,
    `in full   ${link.url}`,
    ...warnings.flatMap(({ level, text }) => {
      const sign =
        level === 'danger'
          ? pen.paint('red', `${pen.signs.warning} danger:`)
          : pen.paint('yellow', `${pen.signs.warning} note:`)
      return ['', `${sign} ${text}`]
    }),
  ]
}

/** For a link that nobody is to open: why not, and what the asker says about it. */
export function badLinkHeader(question: LinkQuestion, reason: string, pen: Pen): readonly string[] {
  return [
    `${pen.paint('red', `${pen.signs.warning} danger:`)} ${oneLine(reason, 'terminal')}`,
    'It is not shown, and there is nothing to approve.',
    ...claimLines(question.message, pen),
  ]
}

export async function putBadLink(desk: Desk): Promise<Settled> {
  const answers = desk.answers.filter((action) => action !== 'accept')
  const decided = await decide({ ...desk, answers }, { title: 'Your decision', approve: {} })
  if (!decided.ok) return endedBy(decided.ended)
  return { answer: { action: decided.value === 'decline' ? 'decline' : 'cancel' } }
}

export async function putLink(desk: Desk, link: Allowed, openLink: OpenLink | undefined): Promise<Settled> {
  const decided = await decide(desk, {
    title: 'Follow this link?',
    approve: { note: 'you open it yourself' },
    more:
      openLink === undefined ? [] : [{ id: 'open', label: 'Approve and open it', key: 'o', note: 'in your browser' }],
  })
  if (!decided.ok) return endedBy(decided.ended)
  if (decided.value === 'decline') return { answer: { action: 'decline' } }
  if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
  if (decided.value === 'open' && openLink !== undefined) await openFor(desk, link.url, openLink)
  return { answer: { action: 'accept' } }
}

async function openFor({ pen }: Desk, url: string, openLink: OpenLink): Promise<void> {
  try {
    await openLink(url)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    pen.write(
      pen.rail([
        '',
        `${pen.paint('yellow', pen.signs.warning)} The browser did not open (${why}). Open the link yourself.`,
      ]),
    )
  }
}
