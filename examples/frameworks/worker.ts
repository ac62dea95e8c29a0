import { createMcpHandler } from '@modelcontextprotocol/server'
import { newServer } from './deploy.ts'

const { fetch } = createMcpHandler(newServer)

export default { fetch: (request: Request): Promise<Response> => fetch(request) }
