// Runs one action without a connection, with a scripted person and a callback for every named point.

import { createAssent, type Interaction } from '@assent/sdk'
import { callTool, type ShownQuestion } from '@assent/sdk/testing'
import type { Generation } from '../../../test-kit/mcp/in-memory.ts'
import { homeNextTo } from './fixtures/fixture.suite.ts'
import { runOnboarding } from './run.ts'
import type { Site } from './site.ts'

export interface ActionOptions {
  readonly root: string
  readonly action: 'status' | 'analyze' | 'propose' | 'approve' | 'migrate' | 'rollback' | 'skip'
  /** Called while the person decides, before they answer. */
  readonly whileAsked?: () => unknown
  /** What the person answers to a question with these boxes; by default every box is ticked. */
  readonly answer?: (boxes: readonly string[]) => object
  /** Whether the client can show forms; true by default. */
  readonly canAsk?: boolean
  readonly generation?: Generation
  readonly reached?: Site['reached']
  /** By default the home next to the repository. */
  readonly home?: string
}

export interface ActionResult {
  readonly status: unknown
  readonly code: unknown
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

const ticked = (boxes: readonly string[]) => ({
  action: 'accept',
  content: Object.fromEntries(boxes.map((name) => [name, true])),
})

/** Unlike `scriptedPerson`, does not fail if nothing is asked. */
function acceptingPerson(before: () => unknown, answerTo: (boxes: readonly string[]) => object) {
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

export async function runAction({
  root,
  action,
  whileAsked = () => undefined,
  answer = ticked,
  canAsk = true,
  generation,
  reached,
  home = homeNextTo(root),
}: ActionOptions): Promise<ActionResult> {
  const { interactive } = createAssent({ name: 'rehearsal' })
  const handler = interactive<[], unknown, Awaited<ReturnType<typeof runOnboarding>>>(
    (interaction: Interaction) =>
      runOnboarding(
        { folder: root, home, reached },
        undefined,
        { action, preview: undefined, keep: undefined },
        interaction,
      ),
    { name: 'onboarding' },
  )
  const called = await callTool(handler, undefined, {
    person: acceptingPerson(whileAsked, answer) as never,
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
