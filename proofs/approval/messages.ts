// The messages to approvers: each gets a webhook and a mail, and a robot that reads all of them decides nothing.
import type { Browser } from 'playwright-core'
import { linksIn, sendEverything, useEverything } from '../../test-kit/gateway/message-robot.ts'
import { until } from '../../test-kit/until.ts'
import type { Checks } from './checks.ts'
import type { ReceivedHook, Team } from './team.ts'

const approvers = ['ben', 'cleo'] as const

/** Opens every link of all messages about this ask, and submits every form. */
export async function runRobot(team: Team, askId: string, browser: Browser, checks: Checks): Promise<void> {
  const texts = await until(() => {
    const mails = mailsAbout(team, askId).map(({ text }) => text)
    const bodies = hooksAbout(team, askId).map(({ body }) => body)
    const isComplete = mails.length >= approvers.length && bodies.length >= approvers.length
    return isComplete ? [...mails, ...bodies] : undefined
  })
  const links = new Set(texts.flatMap(linksIn))
  checks.is('the messages have a link', links.size > 0)
  for (const link of links) {
    checks.same('a robot cannot answer without a session', await sendEverything(link, askId), [401, 401, 401])
    const context = await browser.newContext()
    const { texts: seen, pressed } = await useEverything(context, link)
    checks.is('a robot finds something to press on the page of the link', pressed > 0)
    checks.is('the page shows a robot nothing of the call', !/checkout|production/.test(seen.join('\n')), seen)
    await context.close()
  }
}

/** One webhook and one mail for each approver when the ask is raised, and when it has ended; none for the requester. */
export async function checkMessages(team: Team, askId: string, outcome: string, checks: Checks): Promise<void> {
  const expected = approvers.length * 2
  await until(() => {
    const isComplete = [hooksAbout(team, askId), mailsAbout(team, askId)].every(({ length }) => length >= expected)
    return isComplete || undefined
  })
  const hooks = hooksAbout(team, askId).map(({ for: name, type, data }) =>
    `${name} ${type} ${data.outcome ?? ''}`.trim(),
  )
  const hooksExpected = approvers.flatMap((name) => [`${name} ask.ended ${outcome}`, `${name} ask.raised`])
  checks.same(
    `each approver got a signed webhook at the start and the end of what was ${outcome}`,
    hooks.sort(),
    hooksExpected,
  )
  const mails = mailsAbout(team, askId).map(({ to }) => to.join())
  const mailsExpected = approvers.flatMap((name) => [`${name}@example.com`, `${name}@example.com`])
  checks.same(`each approver got a mail at the start and the end of what was ${outcome}`, mails.sort(), mailsExpected)
}

function hooksAbout(team: Team, askId: string): ReceivedHook[] {
  return team.hooks.filter(({ data }) => data.ask === askId)
}

/** Mails have soft line breaks. */
function mailsAbout(team: Team, askId: string) {
  return team.mail.mails.filter(({ text }) => text.replaceAll('=\r\n', '').includes(askId))
}
