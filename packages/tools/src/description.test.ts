import { expect, test } from 'vitest'
import { describeTools } from './description.ts'
import { assentTools } from './server.ts'
import { connect, generations } from './stage.suite.ts'

test.each(generations)(
  '[ALONE-8] what is said of the tools beforehand is what they say themselves (%s)',
  async (generation) => {
    const caller = await connect(generation, assentTools({ folder: process.cwd(), version: '1.2.3' }))
    const { client } = caller

    const said = {
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }

    expect(said).toEqual(describeTools('1.2.3'))
    await caller.close()
  },
)
