// The fixture tools that ask in ways that our SDK does not support: question names, shapes and kinds fixed by the suite.
//
// Names, keys and forms are fixed by the official suite. A tool keeps nothing between rounds except in the state, which
// the caller's codec seals; a changed state is refused before the tool runs. server-interactive.ts has the tools that use
// our SDK.
import type { InputRequests, RequestStateCodec } from '@modelcontextprotocol/server'
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server'
import { ENUMS_FORM } from './server-forms.ts'
import { askFor, askModel, type FixtureTool, form, text } from './server-tool.ts'

export interface Round {
  readonly round: number
  readonly nonce: string
}

export function askingTools(state: RequestStateCodec<Round>, nonce: () => string): readonly FixtureTool[] {
  return [...SINGLE, ...FORMS, ...CAPABLE, ...statefulTools((round) => state.mint({ round, nonce: nonce() }))]
}

const SINGLE: readonly FixtureTool[] = [
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name',
    run: (_args, { mcpReq }) => {
      const name = acceptedContent(mcpReq.inputResponses, 'user_name')?.name
      if (typeof name === 'string') return text(`Hello, ${name}!`)
      return inputRequired({ inputRequests: { user_name: askFor('name', { type: 'string' }, 'What is your name?') } })
    },
  },
  {
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model a question",
    run: (_args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.capital_question
      if (answer !== undefined) return text(`The model answered: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?', 100) } })
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the roots of the client',
    run: (_args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.client_roots
      if (answer !== undefined) return text(`The client has these roots: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
  },
]

const FORMS: readonly FixtureTool[] = [
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks with every shape of choice',
    run: (_args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.choices
      if (answer !== undefined) return text(`Elicitation completed: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { choices: form('Please choose', ENUMS_FORM) } })
    },
  },
  {
    name: 'test_sampling',
    description: "Passes a prompt to the client's model",
    input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    run: ({ prompt }, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.completion
      if (answer !== undefined) return text(`LLM response: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { completion: askModel(String(prompt), 100) } })
    },
  },
]

const CAPABLE: readonly FixtureTool[] = [
  {
    name: 'test_missing_capability',
    description: "Cannot work without the client's model",
    run: (_args, { mcpReq }) => {
      if (mcpReq.inputResponses?.completion !== undefined) return text('The model answered.')
      return inputRequired({ inputRequests: { completion: askModel('Say pong', 16) } })
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client says it can answer',
    run: (_args, { mcpReq }, declared) => {
      if (mcpReq.inputResponses !== undefined) return text('Everything was answered.')
      const inputRequests: InputRequests = {}
      if (declared.elicitation) inputRequests.user_name = askFor('name', { type: 'string' }, 'What is your name?')
      if (declared.sampling) inputRequests.greeting = askModel('Write a short greeting', 50)
      if (declared.roots) inputRequests.client_roots = inputRequired.listRoots()
      if (Object.keys(inputRequests).length === 0) return text('There is nothing this client could answer.')
      return inputRequired({ inputRequests })
    },
  },
]

function statefulTools(seal: (round: number) => Promise<string>): readonly FixtureTool[] {
  return [
    {
      name: 'test_input_required_result_multiple_inputs',
      description: 'Asks three things of three kinds at once',
      run: async (_args, { mcpReq }) => {
        const inputRequests: InputRequests = {
          user_name: askFor('name', { type: 'string' }, 'What is your name?'),
          greeting: askModel('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        }
        const missing = Object.keys(inputRequests).some((key) => mcpReq.inputResponses?.[key] === undefined)
        if (missing) return inputRequired({ inputRequests, requestState: await seal(1) })
        return text(`All three answered: ${JSON.stringify(mcpReq.inputResponses)}`)
      },
    },
  ]
}
