import { interactive } from '@assent/sdk'

export const publish = interactive(
  async ({ ask }) => {
    const { value, comment } = await ask.withComment(ask.confirm('Publish the draft?'))
    if (!value) return `Not published. ${comment ?? 'The person gave no reason.'}`
    return `Published. ${comment ?? ''}`.trim()
  },
  { name: 'publish' },
)
