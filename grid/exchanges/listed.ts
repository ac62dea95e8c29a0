// Every difference that a gateway with several servers makes on purpose, with its reason.

import type { Listed } from '../compare/differences.ts'

export const listed: readonly Listed[] = [
  {
    where: 'any',
    step: 'pages of tools/list',
    gateway: '1',
    reason: 'The lists of several servers are joined in the order of the configuration and returned as one page.',
  },
]
