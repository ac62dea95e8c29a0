import type { Interaction } from '@assent/sdk'
import type { Client } from '@temporalio/client'

type Deploy = (env: string) => Promise<{ id: string }>

export async function deployWithTemporal(temporal: Client, env: string, { step }: Interaction): Promise<string> {
  const { id } = await step(
    'deploy',
    ({ key }) =>
      temporal.workflow.execute<Deploy>('deploy', {
        taskQueue: 'deploys',
        workflowId: key,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [env],
      }),
    { onCrash: 'retry' },
  )
  return `Deployed ${id}.`
}
