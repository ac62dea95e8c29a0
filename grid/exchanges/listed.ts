// Every difference that a gateway with several servers makes on purpose, with its reason.

import type { Listed } from '../compare/differences.ts'

export const listed: readonly Listed[] = []
