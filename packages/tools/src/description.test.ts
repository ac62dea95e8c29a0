import { expect, test } from 'vitest'
import { connect, generations } from '../../../test-kit/mcp/in-memory.ts'
import { describeTools } from './description.ts'
import { assentTools } from './server.ts'

test.each(generations)(
  '[ALONE-8] the description sent before the tools are loaded is the one that their server sends (%s)',
  async (generation) => {
    const caller = await connect(generation, assentTools({ folder: process.cwd(), version: '1.2.3' }))
    const { client } = caller

    const received = {
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }

    expect(received).toEqual(describeTools('1.2.3'))
    await caller.close()
  },
)
