import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const url = new URL(`http://127.0.0.1:${process.env.PORT ?? 3000}/mcp`)
for (const mode of ['legacy', 'auto'] as const) {
  const capabilities = { elicitation: { form: {} } }
  const client = new Client({ name: 'try', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    console.log(params.message)
    return { action: 'accept', content: { text: 'Ada' } }
  })
  await client.connect(new StreamableHTTPClientTransport(url))
  const { content } = await client.callTool({ name: 'greet' })
  console.log(client.getNegotiatedProtocolVersion(), content)
  await client.close()
}
