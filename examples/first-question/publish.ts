import type { Assent } from '@assent/sdk'
import type { McpServer } from '@modelcontextprotocol/server'

export function addPublish(assent: Assent, server: McpServer) {
  return assent.tool(server, 'publish', { description: 'Publishes the draft' }, async ({ ask }) => {
    const { value, comment } = await ask.withComment(ask.confirm('Publish the draft?'))
    if (!value) return `Not published. ${comment ?? 'The person gave no reason.'}`
    return `Published. ${comment ?? ''}`.trim()
  })
}
