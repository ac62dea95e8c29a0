import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ask, askView, checkedBlock, type Question } from '@assent/core'
import { assentTools, connectTools } from '@assent/tools'
import { describeTools } from '@assent/tools/description'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { askTextOf } from '../terminal/ask-text.ts'
import type { InnerServer } from '../upstream/inner-server.ts'
import { whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { anAskingServer, type Generation, listening } from './servers.suite.ts'
import { aStage, putAwayLater } from './stage.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const phase = { phaseNumber: 1, phaseSummary: 'All tests pass.', commitMessage: 'feat: index' }
const finding = '- The last commit does not have the proposed message'
const abort = { action: 'accept', content: { decision: 'abort' } }

function aProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-checked-')))
  putAwayLater(() => rmSync(folder, { recursive: true, force: true }))
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: folder })
  execFileSync('git', [...who, 'commit', '-q', '--allow-empty', '-m', 'begin'], { cwd: folder })
  return folder
}

/** The tools in the gateway's own process, as `npx assent` has them. */
function builtIn(files: Readonly<Record<string, string>> = {}): InnerServer {
  const createTools = assentTools({ folder: aProject(files), stateFolder: aProject() })
  return {
    description: describeTools('1.0.0'),
    connect: async (send) => connectTools(createTools, (message) => send(message as Parameters<typeof send>[0])),
  }
}

/** The same tools, as a server of somebody else. */
async function elsewhere() {
  const handler = createMcpHandler(assentTools({ folder: aProject() }), { legacy: 'reject' })
  // Typed as Node's own listener: the SDK's is not, under exactOptionalPropertyTypes.
  return { url: `${(await listening(createServer(toNodeHandler(handler) as RequestListener))).url}/mcp` }
}

type FormQuestion = Question & { kind: 'form' }

function shownOf(ask: Ask) {
  const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }
  return askView(ask, { principal: 'ann', groups: [] }, naming)
}

describe.each(generations)('for a %s client', (generation) => {
  test('[POINT-17] what the built-in tools checked is kept with the question and shown apart', async () => {
    const { store, gateway } = await aStage()
    const { url } = await gateway({ agent: builtIn() }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('request_phase_commit_approval', phase)
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, abort)

    expect(await calling).toMatchObject({ structuredContent: { decision: 'abort' } })
    const { checked = '', message } = ask.question as FormQuestion
    expect(checked).toContain(finding)
    expect(message).toContain(checkedBlock(checked))
    const view = shownOf(ask)
    expect(view.question).toMatchObject({ checked })
    expect((view.question as { claim: string }).claim).toContain('All tests pass.')
    expect((view.question as { claim: string }).claim).not.toContain(finding)
    const printed = askTextOf({ ask: view, nowMs: Date.now() }).split('\n')
    const at = printed.indexOf('checked by Assent')
    expect(at).toBeGreaterThanOrEqual(0)
    expect(printed[at + 1]).toContain(finding)
    expect(printed.indexOf('the asker says')).toBeGreaterThan(at + 1)
  })

  test.each([
    [
      { ...abort, comment: 'the customer left' },
      { decision: 'abort', revisionNotes: 'the customer left' },
    ],
    [{ action: 'decline', comment: 'the customer left' }, { status: 'declined' }],
    [{ action: 'cancel', comment: 'the customer left' }, { status: 'cancelled' }],
  ])('[POINT-9] a comment written in the inbox reaches the agent: %j', async (answer, data) => {
    const { store, gateway } = await aStage()
    const { url } = await gateway({ agent: builtIn() }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('request_phase_commit_approval', phase)
    await answerInInbox(store, await firstAsk(store), answer)

    const result = (await calling) as { content: { text: string }[]; structuredContent: object }
    expect(result.structuredContent).toMatchObject({ ...data, comment: 'the customer left' })
    expect(result.content[0]?.text).toContain('the customer left')
  })

  test('[POINT-17] what onboarding read from the repository is checked, and none of it is in the agent’s words', async () => {
    const { store, gateway } = await aStage()
    const rules = { 'AGENTS.md': '# Rules\n\n- Use tabs.\n', 'CLAUDE.md': '# Rules\n\n- Use tabs.\n' }
    const { url } = await gateway({ agent: builtIn(rules) }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })
    for (const action of ['analyze', 'propose']) await client.call('onboarding', { action })

    const calling = client.call('onboarding', { action: 'approve' })
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, { action: 'decline' })
    await calling

    expect((ask.question as FormQuestion).checked).toContain('CLAUDE.md')
    expect((shownOf(ask).question as { claim: string }).claim).not.toContain('CLAUDE.md')
  })

  test('[POINT-17] a client that draws the form itself gets it in the message, without our member', async () => {
    const { gateway } = await aStage()
    const { url } = await gateway({ agent: builtIn() }, { unseenAfterMs: 0 })
    const client = await aClient(generation, url, { says: () => abort })

    await client.call('request_phase_commit_approval', phase)

    const [asked] = client.asked as readonly { readonly message: string; readonly _meta?: object }[]
    expect(asked?.message).toContain(`Checked by Assent:\n${finding}`)
    expect(asked?._meta ?? {}).not.toHaveProperty('assent/ask')
  })

  test('[POINT-17] the same tools in another process are a server like any other', async () => {
    const { store, gateway } = await aStage()
    const { url } = await gateway({ agent: await elsewhere() }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('request_phase_commit_approval', phase)
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, abort)
    await calling

    expect(ask.question).not.toHaveProperty('checked')
    expect(shownOf(ask).question).not.toHaveProperty('checked')
    // Nothing is lost: it stands among the words that are not checked.
    expect((shownOf(ask).question as { claim: string }).claim).toContain(finding)
  })

  test.each(generations)('[POINT-17] what a %s server calls checked by Assent is not', async (serverSpeaks) => {
    const server = await anAskingServer(serverSpeaks)
    const { store, gateway } = await aStage()
    const { url } = await gateway({ agent: { url: server.url } }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })
    const checked = '- Everything is committed.'
    const message = `Which region?\n\n${checkedBlock(checked)}`
    const question = { ...whichRegion, message, _meta: { 'assent/ask': { checked } } }

    const calling = client.call('ask', { questions: [question] })
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, { action: 'decline' })
    await calling

    expect(ask.question).not.toHaveProperty('checked')
    expect(shownOf(ask).question).toMatchObject({ claim: message })
  })
})
