// The recipe for Temporal against a stand-in that starts workflows by the documented rules of its server.

import { createAssent, type Interaction, onSurface } from '@assent/sdk'
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { expect, test } from 'vitest'
import { deployWithTemporal } from '../examples/workflow-engines/temporal.ts'

interface Started {
  readonly workflowId: string
  readonly workflowIdReusePolicy?: string
  readonly workflowIdConflictPolicy?: string
}

/** A workflow that has closed may be started again unless its id was to be rejected. */
function temporalServer() {
  const runs: string[] = []
  const start = async (_: string, { workflowId, workflowIdReusePolicy }: Started) => {
    if (runs.includes(workflowId) && workflowIdReusePolicy === 'REJECT_DUPLICATE')
      throw new WorkflowExecutionAlreadyStartedError('already started', workflowId, 'deploy')
    runs.push(workflowId)
  }
  const result = async () => ({ id: 'app-42' })
  const execute = async (type: string, options: Started) => {
    await start(type, options)
    return result()
  }
  return { runs, client: { workflow: { start, execute, getHandle: () => ({ result }) } } as unknown as Client }
}

test('[SDK-31] with the recipe for Temporal, a step that is repeated after its workflow has closed does not start it again', async () => {
  const { runs, client } = temporalServer()
  const twice = ({ step }: Interaction): Interaction['step'] => {
    return ((name: string, work: (context: object) => unknown) =>
      step(name, async (context) => {
        await work(context)
        return work(context)
      })) as Interaction['step']
  }
  const tool = createAssent({ name: 'ops' }).interactive(
    async (interaction) => deployWithTemporal(client, 'test', { ...interaction, step: twice(interaction) }),
    { name: 'deploy' },
  )
  const surface = {
    name: 'client',
    refuses: () => undefined,
    put: () => Promise.reject(new Error('not asked')),
  } as const
  expect(await tool(onSurface(surface))).toMatchObject({ content: [{ text: 'Deployed app-42.' }] })
  expect(runs).toHaveLength(1)
})
