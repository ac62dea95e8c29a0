// The name of the built-in tools as a server, and how their asks are shown: as asks of the agent that uses them.

import type { DisplayNames } from '@assent/core'
import { namingText } from '../text/gateway.ts'

/** The server name shown on asks from the built-in tools. */
export const ownServer = 'agent'

export const describeOwnAsker: NonNullable<DisplayNames['describe']> = ({ server }) =>
  server === ownServer ? { name: namingText.yourAgent, isAgent: true } : {}
