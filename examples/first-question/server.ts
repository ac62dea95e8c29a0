import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { newServer } from './greet.ts'

serveStdio(() => newServer().server)
