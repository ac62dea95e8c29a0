// A link: its host, its warnings, and the person's consent. It is opened only if the person chooses to.

import { oneLine, type Question, screenUrl, type UrlScreening, visibleText } from '@assent/core'
import { claimLines } from './approval.ts'
import { decide, outcomeOfEnd, type QuestionOutcome } from './decide.ts'
import type { Pen } from './pen.ts'
import type { PromptContext } from './prompts/run-prompt.ts'

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
  const asciiHost = host.unicode === host.ascii ? '' : pen.paint('dim', `  (${host.ascii})`)
  return [
    // Marked as a claim; otherwise a server could write a line that looks like the ones below.
    ...visibleText(question.message, 'terminal')
      .split('\n')
      .map((line) => `${pen.paint('dim', pen.signs.claim)} ${line}`),
    '',
    `leads to  ${shownHost}${asciiHost}`,
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

/** For a link that must not be opened: the reason, and the asker's message. */
export function badLinkHeader(question: LinkQuestion, reason: string, by: string, pen: Pen): readonly string[] {
  return [
    `${pen.paint('red', `${pen.signs.warning} danger:`)} ${oneLine(reason, 'terminal')}`,
    'It is not shown, and there is nothing to approve.',
    ...claimLines(question.message, by, pen),
  ]
}

export async function putBadLink(context: PromptContext): Promise<QuestionOutcome> {
  const answers = context.answers.filter((action) => action !== 'accept')
  const decided = await decide({ ...context, answers }, { title: 'Your decision', approve: {} })
  if (!decided.ok) return outcomeOfEnd(decided.ended)
  return { answer: { action: decided.value === 'decline' ? 'decline' : 'cancel' } }
}

export async function putLink(
  context: PromptContext,
  link: Allowed,
  openLink: OpenLink | undefined,
): Promise<QuestionOutcome> {
  const decided = await decide(context, {
    title: 'Follow this link?',
    approve: { note: 'you open it yourself' },
    more:
      openLink === undefined ? [] : [{ id: 'open', label: 'Approve and open it', key: 'o', note: 'in your browser' }],
  })
  if (!decided.ok) return outcomeOfEnd(decided.ended)
  if (decided.value === 'decline') return { answer: { action: 'decline' } }
  if (decided.value === 'dismiss') return { answer: { action: 'cancel' } }
  if (decided.value === 'open' && openLink !== undefined) await openFor(context, link.url, openLink)
  return { answer: { action: 'accept' } }
}

async function openFor({ pen }: PromptContext, url: string, openLink: OpenLink): Promise<void> {
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
