// Runs as a separate process: the asking server over stdio. The argument selects the generation.

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Count, newestServer, olderServer } from '../../../../test-kit/mcp/asking-tools.ts'

process.stderr.write('a line for the log\n')
// Both generations, as the official SDK serves by default, after a slow start.
if (process.argv[2] === 'both, slowly') {
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  serveStdio(() => newestServer(new Count()))
} else if (process.argv[2] === '2025-11-25') await olderServer(new Count()).connect(new StdioServerTransport())
else serveStdio(() => newestServer(new Count()), { legacy: 'reject' })
