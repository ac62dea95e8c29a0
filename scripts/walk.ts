// Runs a plan with the real program, as an agent and its user would, and records it: `npm run walk` writes
// docs/guides/conductor.md with the actual messages, and pictures of the inbox.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aHome, linkAt, openFor, visit } from '../packages/gateway/src/program/standalone/windows.suite.ts'
import { aBrowser } from '../test-kit/chromium.ts'

const pictures = 'docs/screens'
const page = 'docs/guides/conductor.md'

const plan = {
  planSummary:
    'Add search to the notes\n\n1. An index over all notes, kept up to date on save\n2. A search page, with the words found in bold',
  phaseCount: 2,
  openQuestions: ['Shall umlauts match their plain letters?'],
  taskName: 'add-search',
}
const phase = {
  phaseNumber: 1,
  phaseSummary: 'The index is built on start and on save. 14 tests, all pass.',
  filesModified: ['src/index.ts', 'src/index.test.ts'],
  commitMessage: 'feat: index all notes',
}
const completion = {
  completionSummary: 'Search works, with 31 tests. Umlauts match plain letters.',
  phasesCompleted: 2,
}

/** What the person writes, and the button that they press. */
interface Press {
  readonly button: RegExp
  readonly feedback?: string
}

const recorded: string[] = []
const home = await aHome({ clientName: 'claude-code', projectName: 'notes-service' })
const browser = await aBrowser()
try {
  const agent = await home.window('2025-11-25')
  const store = await home.store()
  const { origin } = await visit(home, store)
  const context = await browser.newContext({ viewport: { width: 1120, height: 1060 }, reducedMotion: 'reduce' })
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  const inbox = await context.newPage()
  await inbox.goto((await linkAt(home, store, origin)) ?? '')
  await inbox.getByRole('navigation', { name: 'Pages' }).waitFor()

  const answerOpen = async ({ button, feedback }: Press, picture?: string) => {
    let ask = (await openFor(store))[0]
    for (; ask === undefined; ask = (await openFor(store))[0]) await new Promise((resolve) => setTimeout(resolve, 50))
    await inbox.goto(`${origin}/asks/${ask.id}`)
    await inbox.locator('.card').first().waitFor()
    if (feedback !== undefined) await inbox.getByLabel('Comment').fill(feedback)
    if (picture !== undefined) await inbox.screenshot({ path: join(pictures, `${picture}.png`) })
    // A new card ignores clicks for a moment.
    await inbox.waitForTimeout(800)
    await inbox.getByRole('button', { name: button }).click()
    const { id } = ask
    while ((await openFor(store)).some((open) => open.id === id))
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const step = async (tool: string, args: object, answer: Press, picture?: string, questions = 1) => {
    const calling = agent.call(tool, args)
    for (let question = 1; question <= questions; question++) {
      // The picture is of the last question.
      await answerOpen(answer, question === questions ? picture : undefined)
    }
    const { text, data } = await calling
    recorded.push(`**The agent** calls \`${tool}\`.\n`)
    if (picture !== undefined) recorded.push(`![${tool} in the inbox](../screens/${picture}.png)\n`)
    recorded.push(`It gets:\n\n\`\`\`text\n${text}\n\`\`\`\n\n\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\`\n`)
  }
  mkdirSync(pictures, { recursive: true })
  recorded.push('## The plan\n')
  await step('request_plan_approval', plan, { button: /^Approve/, feedback: 'Yes to the umlauts.' }, 'conductor-plan')
  home.git('config', 'user.name', 'A')
  recorded.push(
    '## A commit that was not made\n\nThe person claims to have committed, but has not. They are asked again at once, with the reason, and claim it again.\n',
  )
  mkdirSync(join(home.project, 'src'))
  writeFileSync(join(home.project, 'src/index.ts'), '')
  const goOn = { button: /^Continue/ }
  await step('request_phase_commit_approval', phase, goOn, 'conductor-phase', 2)
  recorded.push('## The commit\n\nThey commit, and the agent asks again.\n')
  home.commit('feat: index all notes')
  await step('request_phase_commit_approval', phase, goOn)
  recorded.push('## The end\n\nThe second phase works the same way. Then:\n')
  home.commit('feat: search page')
  const written = recorded.length
  await step('request_phase_commit_approval', { ...phase, phaseNumber: 2, commitMessage: 'feat: search page' }, goOn)
  recorded.length = written
  await step('request_completion_review', completion, { button: /^Approve/ })
  const { readFileSync } = await import('node:fs')
  const kept = readFileSync(join(home.project, 'plans/add-search-complete.md'), 'utf8')
  recorded.push(`The plan's file now contains the decisions:\n\n\`\`\`markdown\n${kept.trim()}\n\`\`\`\n`)
} finally {
  await browser.close()
  await home.close()
}
const { introduction, ending } = await import('./walk-words.ts')
writeFileSync(page, `${introduction}\n${recorded.join('\n')}\n${ending}`)
console.log(`walk: ${page} is written`)
