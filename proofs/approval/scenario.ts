// Two calls of Ann's agent to a server that never asks. Ben and Cleo approve the first one, each at another gateway, and it
// runs once. Ben declines the second one, and it does not run.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { decisionBody } from '../../test-kit/gateway/message-robot.ts'
import { type CallResult, connectClient, patientName, textOf } from '../../test-kit/mcp/client.ts'
import { agentToken } from '../../test-kit/oidc/login-browser.ts'
import { signInOnPage } from '../../test-kit/oidc/sign-in-page.ts'
import type { Revision } from '../../test-kit/revisions.ts'
import { until } from '../../test-kit/until.ts'
import { send, tryToApprove } from './attempts.ts'
import type { Checks } from './checks.ts'
import { checkMessages, runRobot } from './messages.ts'
import { type PersonName, people, type Replica, type Team } from './team.ts'

export interface ScenarioOptions {
  /** The revisions of the clients that make the first and the second call. */
  readonly revisions: readonly [Revision, Revision]
  readonly look?: BrowserContextOptions
  /** Takes a picture of this view. */
  readonly save?: (page: Page, view: string) => Promise<void>
}

const callTimeoutMs = 280_000
const pageTimeoutMs = 60_000

export async function playApproval(
  team: Team,
  browser: Browser,
  { revisions: [first, second], look = {}, save = async () => undefined }: ScenarioOptions,
  checks: Checks,
): Promise<void> {
  const [one, two] = team.replicas
  const token = await agentToken(team.issuer.url, 'ann')

  const approved = await aCall(team, one, first, token)
  const ann = await openAs('ann', one, approved.askId, browser, look)
  const heading = ann.getByRole('heading', { name: /^Waiting for others/, includeHidden: true })
  checks.same('the list of the requester shows that others decide', await heading.textContent(), 'Waiting for others 1')
  await save(ann, 'requester')
  const annAtTwo = await openAs('ann', two, approved.askId, browser, look)
  await tryToApprove({ pages: [ann, annAtTwo], askId: approved.askId, token }, team, checks)
  await annAtTwo.context().close()
  await runRobot(team, approved.askId, browser, checks)
  await checkOpen(team, approved, 0, checks)

  const ben = await openAs('ben', one, approved.askId, browser, look)
  await save(ben, 'first')
  await press(ben, 'Approve')
  await ben.getByText('You have answered. Other people still have to decide.').waitFor()
  const benAtTwo = await openAs('ben', two, approved.askId, browser, look)
  const again = await send(benAtTwo, two, 'POST', `/api/asks/${approved.askId}/answer`, decisionBody('accept'))
  checks.same('an approver who votes again at the other gateway is refused', again.status, 409)
  await benAtTwo.context().close()
  await checkOpen(team, approved, 1, checks)

  const cleo = await openAs('cleo', two, approved.askId, browser, look)
  await save(cleo, 'second')
  await press(cleo, 'Approve')
  await cleo.locator('.settled').waitFor()
  const result = await approved.calling
  checks.same('the approved call returns the result of the server', textOf(result), approved.expected)
  checks.same('the approved call ran exactly once', await runsOf(team, approved.version), 1)
  const names = `${people.ben.name} and ${people.cleo.name} approved this`
  await ann.locator('.settled', { hasText: names }).waitFor()
  await save(ann, 'approved')

  const declined = await aCall(team, two, second, token)
  await cleo.goto(`${two.origin}/asks/${declined.askId}`)
  await ben.goto(`${one.origin}/asks/${declined.askId}`)
  await openCard(ben)
  await ben
    .getByRole('button', { name: /comment/i })
    .first()
    .click()
  await ben.getByRole('textbox').fill('Not on a Friday.')
  await press(ben, 'Decline')
  await ben.locator('.settled').waitFor()
  const refusal = await declined.calling
  checks.is('the declined call is an error', refusal.isError === true, refusal)
  checks.same(
    'the caller gets the name and the comment of the person who declined',
    textOf(refusal),
    `${people.ben.name} declined this call. Nothing ran. Not on a Friday.`,
  )
  const late = await send(cleo, two, 'POST', `/api/asks/${declined.askId}/answer`, decisionBody('accept'))
  checks.same('an approval after the decline is refused', late.status, 409)
  checks.same('the declined call did not run', await runsOf(team, declined.version), 0)
  await ann.goto(`${one.origin}/asks/${declined.askId}`)
  await ann.locator('.settled').waitFor()
  await save(ann, 'declined')

  await checkMessages(team, approved.askId, 'approved', checks)
  await checkMessages(team, declined.askId, 'declined', checks)
  checks.same('no webhook has an invalid signature', team.unverified, 0)
  checks.is('the audit log is consistent', (await one.store.audit.verify('default')).ok)
  for (const page of [ann, ben, cleo]) await page.context().close()
}

interface StartedCall {
  readonly askId: string
  readonly version: string
  readonly expected: string
  readonly calling: Promise<CallResult>
}

let calls = 0

/** A call of Ann's agent, which waits. Its ask is known from the webhook, as to any other program. */
async function aCall(team: Team, replica: Replica, revision: Revision, token: string): Promise<StartedCall> {
  const version = `2.4.${calls++}`
  const to = { url: replica.mcp, headers: { authorization: `Bearer ${token}` } }
  const client = await connectClient(revision, to, {
    name: patientName,
    elicitation: 'none',
    timeoutMs: callTimeoutMs,
  })
  const known = new Set(team.hooks.map(({ data }) => data.ask))
  const args = { env: 'production', service: 'checkout', version }
  const calling = client.call('rollout', args).finally(() => client.close())
  // The code that waits for the result reports it; until then it is not unhandled.
  calling.catch(() => undefined)
  const hook = await until(() => team.hooks.find(({ data }) => !known.has(data.ask)))
  return { askId: hook.data.ask, version, expected: `Rolled out checkout ${version} to production.`, calling }
}

/** The person opens the ask of a message at this gateway, and signs in with their account. */
async function openAs(
  person: PersonName,
  { origin }: Replica,
  askId: string,
  browser: Browser,
  look: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1120, height: 780 },
    reducedMotion: 'reduce',
    ...look,
  })
  context.setDefaultTimeout(pageTimeoutMs)
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  const page = await context.newPage()
  await page.goto(`${origin}/asks/${askId}`)
  await signInOnPage(page, person)
  await page.waitForURL(`${origin}/asks/${askId}`)
  await openCard(page)
  return page
}

/** Buttons and keys are ignored for a moment after the card appears. */
async function openCard(page: Page): Promise<void> {
  await page.locator('.card[data-state="open"]').waitFor()
  await page.waitForTimeout(700)
}

async function press(page: Page, name: 'Approve' | 'Decline'): Promise<void> {
  await page.getByRole('button', { name, exact: false }).first().click()
}

async function checkOpen(team: Team, { askId, version }: StartedCall, votes: number, checks: Checks): Promise<void> {
  const ask = await team.replicas[0].store.asks.read('default', askId)
  checks.same(`the ask is open with ${votes} of 2 approvals`, [ask?.state.kind, ask?.votes.length], ['open', votes])
  checks.same(`nothing ran with ${votes} of 2 approvals`, await runsOf(team, version), 0)
}

async function runsOf(team: Team, version: string): Promise<number> {
  return (await team.runs()).filter((line) => line === `production checkout ${version}`).length
}
