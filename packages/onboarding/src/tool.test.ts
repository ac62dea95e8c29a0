import { expect, test } from 'vitest'
import { connect, generations } from '../../../test-kit/mcp/in-memory.ts'
import { onboardingServer } from './test-server.suite.ts'

test.each(generations)(
  '[ONBOARD-1] the tool describes its input, its result and that it changes files (%s)',
  async (generation) => {
    const { client, close } = await connect(generation, onboardingServer({ folder: '.', home: '.' }))
    const { tools } = await client.listTools()

    expect(tools).toHaveLength(1)
    expect(tools[0]).toMatchObject({
      name: 'onboarding',
      inputSchema: { required: ['action'] },
      outputSchema: { required: expect.arrayContaining(['status', 'message']) },
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
    expect(tools[0]?.description?.length).toBeGreaterThan(100)
    await close()
  },
)
