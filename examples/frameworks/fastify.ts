import { httpHandler } from '@assent/sdk/http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { fastify } from 'fastify'
import { newServer } from './deploy.ts'

const mcp = toNodeHandler(httpHandler(newServer))
const app = fastify()
app.all('/mcp', (request, reply) => {
  reply.hijack()
  return mcp(request.raw as NodeIncomingMessageLike, reply.raw, request.body)
})

const address = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.error(`Listening on ${address}/mcp`)
