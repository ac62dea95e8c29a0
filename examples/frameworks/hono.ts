import { httpHandler } from '@assent/sdk/http'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { newServer } from './deploy.ts'

const mcp = httpHandler(newServer)
const app = new Hono()
app.all('/mcp', (c) => mcp.fetch(c.req.raw))

const port = Number(process.env.PORT ?? 3000)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.error(`Listening on http://127.0.0.1:${port}/mcp`)
})
