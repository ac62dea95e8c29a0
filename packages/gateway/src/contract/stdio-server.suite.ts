// A process of its own: the asking server of the generation it is told, on standard input and output.

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Count, newestServer, olderServer } from './asking.suite.ts'

process.stderr.write('a line for the log\n')
if (process.argv[2] === '2025-11-25') await olderServer(new Count()).connect(new StdioServerTransport())
else serveStdio(() => newestServer(new Count()), { legacy: 'reject' })
