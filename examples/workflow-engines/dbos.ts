import type { Interaction } from '@assent/sdk'
import { DBOS } from '@dbos-inc/dbos-sdk'

async function deploy(env: string): Promise<{ id: string }> {
  const image = await DBOS.runStep(async () => `app-${env}`, { name: 'build' })
  return DBOS.runStep(async () => ({ id: `${image}-42` }), { name: 'release' })
}
const deployWorkflow = DBOS.registerWorkflow(deploy, { name: 'deploy' })

export async function deployWithDbos(env: string, { step }: Interaction): Promise<string> {
  const { id } = await step(
    'deploy',
    async ({ key }) => {
      const handle = await DBOS.startWorkflow(deployWorkflow, { workflowID: key })(env)
      return handle.getResult()
    },
    { onCrash: 'retry' },
  )
  return `Deployed ${id}.`
}
