// The person's comment: with every kind of answer, the agent that asked receives what the person wrote.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test-kit/listen.ts'
import { plainEnvironment } from './gateway-process.ts'
import { type Answer, PersonAtInbox } from './person.ts'
import { inParallel, type Section, type SectionInput, type SectionResult } from './section.ts'
import { startStdioClient } from './stdio-client.ts'

const comments = 1_000
const atOnce = 16

export const commentsSection: Section = {
  name: 'comments',
  run,
  bugs: [
    {
      name: 'the comment is not put on the answer',
      package: '@assent/core',
      file: 'dist/ask/ask-meta.js',
      from: /export function answerMeta\(meta\) \{/,
      to: 'export function answerMeta(meta) {\n    return {};',
    },
  ],
}

const answers: readonly Answer[] = [
  { action: 'accept', content: { answer: true } },
  { action: 'accept', content: { answer: false } },
  { action: 'decline' },
  { action: 'cancel' },
]

async function run({ program, folder, random, share }: SectionInput): Promise<SectionResult> {
  const env = { ...plainEnvironment(folder), ASSENT_LISTEN: `127.0.0.1:${await freePort()}` }
  const cwd = join(folder, 'project')
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(folder, 'home'), { recursive: true })
  // Without elicitation, so that the person answers in the inbox.
  const agent = await startStdioClient({ program, cwd, env })
  const faults: string[] = []
  const counts: Record<string, number> = {}
  try {
    // The program serves the inbox from its first question on.
    const first = agent.call('elicit_confirm', { question: 'Start?' })
    const person = await PersonAtInbox.signInAlone(program, cwd, env)
    await person.answer((await person.find('Start?')).id, { action: 'decline' })
    await first
    const tickets = Array.from({ length: Math.max(8, Math.round(comments * share)) }, (_, n) => n)
    await inParallel(tickets, atOnce, async (n) => {
      const ticket = `comment-${n}-`
      const calling = agent.call('elicit_confirm', { question: `Delete ${ticket}?` })
      const ask = await person.find(ticket)
      const fields = await person.fieldsOf(ask.id)
      const base = random.pick(answers)
      const comment = `because of ${ticket} ${'äöü '.repeat(random.int(5))}"quoted" <b>${n}</b>`
      const content =
        base.content === undefined ? {} : { content: { [fields[0] ?? '']: Object.values(base.content)[0] } }
      const status = await person.answer(ask.id, { action: base.action, ...content, comment })
      const { text, data } = await calling
      counts[base.action] = (counts[base.action] ?? 0) + 1
      if (status !== 200) faults.push(`${ticket}: the answer was refused with ${status}`)
      if (data.comment !== comment)
        faults.push(`${ticket} (${base.action}): the structured result has the comment ${JSON.stringify(data.comment)}`)
      if (!text.includes(`because of ${ticket}`))
        faults.push(`${ticket} (${base.action}): the text lacks the comment: ${text.slice(0, 200)}`)
    })
    return { tried: tickets.length, faults, counts }
  } finally {
    await agent.close()
  }
}
