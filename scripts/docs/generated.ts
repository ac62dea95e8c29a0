// Every page of the docs that is derived from code, except the page of all settings (`npm run settings`).
import { readFileSync } from 'node:fs'
import { ownVersion } from '../../packages/gateway/src/protocol/version.ts'
import { apiPage } from './api.ts'
import { clientPages, type GeneratedPage } from './clients.ts'
import { withAllClients, withClients } from './clients-table.ts'
import { commandsPage } from './commands.ts'
import { figuresPages } from './figures.ts'
import { withMeasuredClients } from './measured-clients.ts'
import { metricsPage } from './metrics.ts'
import { sdkReference } from './reference.ts'
import { toolsPage } from './tools.ts'
import { withVersion } from './version.ts'

const setUpClients = 'docs/start/clients/index.md'

export async function generatedPages(): Promise<GeneratedPage[]> {
  return [
    { path: 'docs/reference/sdk.md', text: sdkReference() },
    { path: 'docs/reference/commands.md', text: commandsPage() },
    { path: 'docs/reference/metrics.md', text: metricsPage() },
    { path: 'docs/reference/tools.md', text: await toolsPage() },
    { path: 'docs/reference/api.md', text: apiPage() },
    ...figuresPages(),
    ...clientPages(ownVersion()),
    // Of these pages, only the tables of clients and the version are generated.
    { path: 'README.md', text: withVersion(withClients(readFileSync('README.md', 'utf8')), ownVersion()) },
    { path: setUpClients, text: withMeasuredClients(withAllClients(readFileSync(setUpClients, 'utf8'))) },
  ]
}
