import { rmSync } from 'node:fs'
import type { Assent } from '@assent/sdk'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export function addCleanUp(assent: Assent, server: McpServer) {
  const inputSchema = z.object({ folder: z.enum(['build', 'coverage']) })
  const config = { description: 'Deletes a folder of generated files', inputSchema }
  return assent.tool(server, 'clean_up', config, async ({ folder }, { gate }) => {
    const { value } = await gate(
      { title: `Delete the folder ${folder}`, arguments: { folder }, risk: 'destructive' },
      (approved) => {
        rmSync(approved.folder, { recursive: true, force: true })
        return approved.folder
      },
    )
    return `Deleted ${value}.`
  })
}
