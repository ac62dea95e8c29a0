// A second ordinary MCP server, of an older SDK generation. It never asks a person either. The refund is only a text.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'billing', version: '1.0.0' })

server.registerTool(
  'refund',
  {
    title: 'Refund an invoice',
    description: 'Pays an amount back to the customer of an invoice.',
    inputSchema: { invoice: z.string(), amount: z.number() },
  },
  async ({ invoice, amount }) => ({ content: [{ type: 'text', text: `Refunded ${amount} of invoice ${invoice}.` }] }),
)

await server.connect(new StdioServerTransport())
