// The imperfect clients, in front of servers of the official SDKs.

import type { Case } from './case.ts'
import { httpClients } from './clients-2025-11-25.ts'
import { newestClients } from './clients-2026-07-28.ts'
import { stdioClients } from './clients-stdio.ts'

export const clientCases: readonly Case[] = [...httpClients, ...stdioClients, ...newestClients]
