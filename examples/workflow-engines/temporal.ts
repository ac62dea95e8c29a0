import type { Interaction } from '@assent/sdk'
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'

type Deploy = (env: string) => Promise<{ id: string }>

export async function deployWithTemporal(temporal: Client, env: string, { step }: Interaction): Promise<string> {
  const deployOnce = async ({ key }: { key: string }) => {
    try {
      await temporal.workflow.start<Deploy>('deploy', {
        taskQueue: 'deploys',
        workflowId: key,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [env],
      })
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    }
    return temporal.workflow.getHandle<Deploy>(key).result()
  }
  const { id } = await step('deploy', deployOnce, { onCrash: 'retry' })
  return `Deployed ${id}.`
}
