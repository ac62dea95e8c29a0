// Onboarding without a connection: one action, a scripted person, and every named point told as it is reached.

import { createAssent, type Interaction } from '@assent/sdk'
import { callTool, type ShownQuestion } from '@assent/sdk/testing'
import type { Generation } from '../stage.suite.ts'
import { homeBeside } from './fixtures/fixture.suite.ts'
import { runOnboarding, siteOf } from './onboarding.ts'
import type { Site } from './site.ts'

export interface Rehearsing {
  readonly root: string
  readonly action: 'status' | 'analyze' | 'propose' | 'approve' | 'migrate' | 'rollback' | 'skip'
  /** Done while the person decides; they say yes in the end. */
  readonly whileAsked?: () => unknown
  /** What the person answers to a question with these boxes; unless said, every box is ticked. */
  readonly answer?: (boxes: readonly string[]) => object
  /** Unless said, the client can show forms. */
  readonly canAsk?: boolean
  readonly generation?: Generation
  readonly reached?: Site['reached']
  /** Unless said, the home beside the repository. */
  readonly home?: string
}

export interface Rehearsed {
  readonly status: unknown
  readonly code: unknown
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

const ticked = (boxes: readonly string[]) => ({
  action: 'accept',
  content: Object.fromEntries(boxes.map((name) => [name, true])),
})

/** Unlike a scripted person, content when nothing is asked. */
function willing(before: () => unknown, answerTo: (boxes: readonly string[]) => object) {
  const transcript: { question: ShownQuestion; answer: unknown }[] = []
  return {
    transcript,
    check: () => undefined,
    see: (question: ShownQuestion) => {
      before()
      const fields = Object.entries(question.fields as Readonly<Record<string, { type?: unknown }>>)
      const answer = answerTo(fields.filter(([, { type }]) => type === 'boolean').map(([name]) => name))
      transcript.push({ question, answer })
      return { answers: true, answer }
    },
  }
}

export async function rehearse({
  root,
  action,
  whileAsked = () => undefined,
  answer = ticked,
  canAsk = true,
  generation,
  reached,
  home = homeBeside(root),
}: Rehearsing): Promise<Rehearsed> {
  const { interactive } = createAssent({ name: 'rehearsal' })
  const openSite = () => siteOf(root, {}, { home, reached })
  const handler = interactive<[], unknown, Awaited<ReturnType<typeof runOnboarding>>>(
    (interaction: Interaction) =>
      runOnboarding(openSite, undefined, { action, preview: undefined, keep: undefined }, interaction),
    { name: 'onboarding' },
  )
  const called = await callTool(handler as never, undefined, {
    person: willing(whileAsked, answer) as never,
    shows: { form: canAsk, url: canAsk },
    ...(generation === undefined ? {} : { revision: generation }),
  })
  const { structuredContent = {} } = (called.result ?? {}) as { structuredContent?: Record<string, unknown> }
  const { status, message, error } = structuredContent as {
    status?: unknown
    message?: string
    error?: { code: string }
  }
  return { status, code: error?.code, message: message ?? called.text, data: structuredContent }
}
