import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { greet } from './greet.ts'

serveStdio(() => {
  const server = new McpServer({ name: 'first-question', version: '1.0.0' })
  server.registerTool('greet', { description: 'Asks the person for their name and greets them' }, greet)
  return server
})
