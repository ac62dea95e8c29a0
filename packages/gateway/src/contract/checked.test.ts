import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ask, askView, checkedBlock, type Question } from '@assent/core'
import { registerOnboarding } from '@assent/onboarding'
import { onboardingInstructions } from '@assent/onboarding/description'
import { type AdditionalTool, assentTools, connectTools } from '@assent/tools'
import { describeTools } from '@assent/tools/description'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { askTextOf } from '../inbox/terminal/ask-text.ts'
import type { InnerServer } from '../servers/inner-server.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const phase = { phaseNumber: 1, phaseSummary: 'All tests pass.', commitMessage: 'feat: index' }
const finding = '- ⚠ The last commit does not have the proposed message'
const abort = { action: 'accept', content: { decision: 'abort' } }

function aProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-checked-')))
  closeAfterTest(() => removeFolder(folder))
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: folder })
  execFileSync('git', [...who, 'commit', '-q', '--allow-empty', '-m', 'begin'], { cwd: folder })
  return folder
}

/** The tools in the gateway's own process, as `npx assent` has them. */
function builtIn(files: Readonly<Record<string, string>> = {}): InnerServer {
  const folder = aProject(files)
  const home = aProject()
  const onboarding: AdditionalTool = {
    instructions: onboardingInstructions,
    register: (server, assent) => registerOnboarding(server, assent, { folder, home }),
  }
  const createTools = assentTools({ folder, stateFolder: home, additional: [onboarding] })
  return {
    description: describeTools('1.0.0', [onboardingInstructions]),
    connect: async (send) => connectTools(createTools, (message) => send(message as Parameters<typeof send>[0])),
  }
}

/** The same tools, as a third-party server. */
async function elsewhere() {
  const handler = createMcpHandler(assentTools({ folder: aProject() }), { legacy: 'reject' })
  // Typed as Node's listener, because the SDK's type does not match it under exactOptionalPropertyTypes.
  return { url: `${(await listening(createServer(toNodeHandler(handler) as RequestListener))).url}/mcp` }
}

type FormQuestion = Question & { kind: 'form' }

function shownOf(ask: Ask) {
  const naming = { nameOf: (principal: string) => principal, describe: () => ({}) }
  return askView(ask, { principal: 'ann', groups: [] }, naming)
}

describe.each(generations)('for a %s client', (generation) => {
  test('[POINT-17] facts that the built-in tools checked are stored with the question and shown separately', async () => {
    const { store, gateway } = await openTestEnv()
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
    const at = printed.indexOf('Checked by Assent')
    expect(at).toBeGreaterThanOrEqual(0)
    expect(printed[at + 1]).toContain(finding)
    expect(printed.findIndex((line) => line.endsWith(' says (not checked by Assent)'))).toBeGreaterThan(at + 1)
  })

  test.each([
    [
      { ...abort, comment: 'the customer left' },
      { decision: 'abort', revisionNotes: 'the customer left' },
    ],
    [{ action: 'decline', comment: 'the customer left' }, { status: 'declined' }],
    [{ action: 'cancel', comment: 'the customer left' }, { status: 'cancelled' }],
  ])('[POINT-9] a comment written in the inbox reaches the agent: %j', async (answer, data) => {
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ agent: builtIn() }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('request_phase_commit_approval', phase)
    await answerInInbox(store, await firstAsk(store), answer)

    const result = (await calling) as { content: { text: string }[]; structuredContent: object }
    expect(result.structuredContent).toMatchObject({ ...data, comment: 'the customer left' })
    expect(result.content[0]?.text).toContain('the customer left')
  })

  test('[POINT-17] facts that onboarding read from the repository are marked as checked, and none is in the agent’s text', async () => {
    const { store, gateway } = await openTestEnv()
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

  test('[POINT-17] a client that renders the form itself gets the checked facts in the message, without Assent’s `_meta` member', async () => {
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ agent: builtIn() }, { unseenAfterMs: 0 })
    const client = await aClient(generation, url, { says: () => abort })

    await client.call('request_phase_commit_approval', phase)

    const [asked] = client.asked as readonly { readonly message: string; readonly _meta?: object }[]
    expect(asked?.message).toContain(`Checked by Assent:\n${finding}`)
    expect(asked?._meta ?? {}).not.toHaveProperty('assent/ask')
  })

  test('[POINT-17] facts of the same tools in another process are not marked as checked', async () => {
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ agent: await elsewhere() }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('request_phase_commit_approval', phase)
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, abort)
    await calling

    expect(ask.question).not.toHaveProperty('checked')
    expect(shownOf(ask).question).not.toHaveProperty('checked')
    // The facts are still shown, as part of the unchecked text.
    expect((shownOf(ask).question as { claim: string }).claim).toContain(finding)
  })

  test.each(generations)(
    '[POINT-17] facts that a %s server claims Assent checked are not marked as checked',
    async (serverSpeaks) => {
      const server = await anAskingServer(serverSpeaks)
      const { store, gateway } = await openTestEnv()
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
    },
  )
})
