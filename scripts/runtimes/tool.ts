// The tool that every runtime runs: an ask, a step, a gate and its receipt. `createAssent` is at module scope.
import { createAssent, verifyReceipt } from '@assent/sdk'

export const assent = createAssent({ name: 'runtimes' })

export const tool = assent.interactive(
  async ({ ask, step, gate }) => {
    const name = await ask.text('Name?')
    const count = await step('count', () => 1)
    const { value, receipt } = await gate({ title: 'Go', arguments: { name } }, (approved) => `${approved.name}!`)
    return `${value} ${count} ${verifyReceipt(receipt, assent.receipts.publicKey).ok}`
  },
  { name: 'tool' },
)
