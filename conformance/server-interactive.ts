// The fixture tools that ask with our SDK, tested on both revisions like the hand-written ones.

import { createAssent, field } from '@assent/sdk'
import type { FixtureTool } from './server-tool.ts'

const { interactive, state } = createAssent({ name: 'conformance' })
export const sdkState = state

const whoAreYou = interactive<[Readonly<Record<string, unknown>>]>(
  async ({ message }, { ask }) => {
    const identity = await ask.form(String(message), {
      username: field.text({ description: "User's response" }),
      email: field.text({ description: "User's email address" }),
    })
    return `User response: ${JSON.stringify(identity)}`
  },
  { name: 'test_elicitation' },
)

/** SEP-1034: a default in every kind of field. */
const defaults = interactive<[Readonly<Record<string, unknown>>]>(
  async (_args, { ask }) => {
    const profile = await ask.form('Please review these values', {
      name: field.optional(field.text({ default: 'John Doe' })),
      age: field.optional(field.number({ integer: true, default: 30 })),
      score: field.optional(field.number({ default: 95.5 })),
      status: field.optional(field.choice(['active', 'inactive', 'pending'], { default: 'active' })),
      verified: field.optional(field.boolean({ default: true })),
    })
    return `Elicitation completed: ${JSON.stringify(profile)}`
  },
  { name: 'test_elicitation_sep1034_defaults' },
)

const confirming = (name: string) =>
  interactive<[Readonly<Record<string, unknown>>]>(
    async (_args, { ask }) => {
      const { ok } = await ask.form('Please confirm', { ok: field.boolean() })
      return `The state came back unchanged: ${ok}.`
    },
    { name },
  )
const withState = confirming('test_input_required_result_request_state')
const withTamperedState = confirming('test_input_required_result_tampered_state')

const twoRounds = interactive<[Readonly<Record<string, unknown>>]>(
  async (_args, { ask }) => {
    const { name } = await ask.form('Step 1: What is your name?', { name: field.text() })
    const { color } = await ask.form('Step 2: What is your favorite color?', { color: field.text() })
    return `Both rounds are done: ${name} likes ${color}.`
  },
  { name: 'test_input_required_result_multi_round' },
)

export const interactiveTools: readonly FixtureTool[] = [
  {
    name: 'test_elicitation',
    description: 'Asks who the user is, in words of the caller',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: (args, context) => whoAreYou(args, context),
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks with a default in every kind of field',
    run: (args, context) => defaults(args, context),
  },
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks for a confirmation and accepts it only with its own state',
    run: (args, context) => withState(args, context),
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a confirmation and refuses a state that was changed',
    run: (args, context) => withTamperedState(args, context),
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one question after the other',
    run: (args, context) => twoRounds(args, context),
  },
]
