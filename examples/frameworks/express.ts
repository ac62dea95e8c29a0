import { httpHandler } from '@assent/sdk/http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { newServer } from './deploy.ts'

const mcp = toNodeHandler(httpHandler(newServer))
const app = express()
app.use(express.json())
app.all('/mcp', (req, res) => mcp(req, res, req.body))

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.error(`Listening on http://127.0.0.1:${port}/mcp`))
