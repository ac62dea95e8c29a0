// Random bytes from the system's source.

import { randomFillSync } from 'node:crypto'
import { type RandomBytes, randomPool } from '@assent/core'

export const randomBytes: RandomBytes = randomPool(randomFillSync)
