// The resources and prompts of the fixture server.
//
// Their names and addresses are fixed by the official suite; one prompt asks a person before it is written.
import type { McpServer, PromptMessage, ServerContext } from '@modelcontextprotocol/server'
import { acceptedContent, fromJsonSchema, inputRequired, ResourceTemplate } from '@modelcontextprotocol/server'
import { PIXEL_BASE64 } from './server-content.ts'
import { askFor } from './server-tool.ts'

export function addResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' }
  for (const name of ['static-text', 'watched-resource']) {
    const uri = `test://${name}`
    server.registerResource(name, uri, { ...plain, description: `The resource ${name}` }, () => ({
      contents: [{ uri, ...plain, text: `This is the content of ${name}.` }],
    }))
  }
  const picture = { uri: 'test://static-binary', mimeType: 'image/png' }
  server.registerResource('static-binary', picture.uri, { mimeType: picture.mimeType }, () => ({
    contents: [{ ...picture, blob: PIXEL_BASE64 }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ${id}` }) }],
  }))
}

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Returns one message' }, () => ({
    messages: [textMessage('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Repeats its two arguments', argsSchema: textArguments('arg1', 'arg2') },
    ({ arg1, arg2 }) => ({ messages: [textMessage(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Contains a resource', argsSchema: textArguments('resourceUri') },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: String(resourceUri), mimeType: 'text/plain', text: 'Embedded resource content.' },
          },
        },
        textMessage('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Contains an image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL_BASE64, mimeType: 'image/png' } },
      textMessage('Please look at the image above.'),
    ],
  }))
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks what it should be about', argsSchema: textArguments() },
    (_args, { mcpReq }: ServerContext) => {
      const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.context
      if (typeof context === 'string') return { messages: [textMessage(`Use this context: ${context}`)] }
      return inputRequired({
        inputRequests: { user_context: askFor('context', { type: 'string' }, 'What context should the prompt use?') },
      })
    },
  )
}

function textMessage(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } }
}

function textArguments(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  return fromJsonSchema<Record<string, string>>({ type: 'object', properties, required: names })
}
