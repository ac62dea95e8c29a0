// A process of its own: the asking server of the generation it is told, on standard input and output.

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Count, newestServer, olderServer } from './asking.suite.ts'

process.stderr.write('a line for the log\n')
// As the official SDK serves unless told otherwise, on a machine that is busy.
if (process.argv[2] === 'both, slowly') {
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  serveStdio(() => newestServer(new Count()))
} else if (process.argv[2] === '2025-11-25') await olderServer(new Count()).connect(new StdioServerTransport())
else serveStdio(() => newestServer(new Count()), { legacy: 'reject' })
