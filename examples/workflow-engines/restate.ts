import type { Interaction } from '@assent/sdk'
import { connect, rpc } from '@restatedev/restate-sdk-clients'

/** The handlers of the service; each gets Restate's own context first. */
interface Deploys {
  run(context: unknown, env: string): Promise<{ id: string }>
}
const ingress = connect({ url: 'http://127.0.0.1:8080' })

export async function deployWithRestate(env: string, { step }: Interaction): Promise<string> {
  const deploys = ingress.serviceClient<Deploys>({ name: 'deploys' })
  const { id } = await step('deploy', ({ key }) => deploys.run(env, rpc.opts({ idempotencyKey: key })), {
    onCrash: 'retry',
  })
  return `Deployed ${id}.`
}
