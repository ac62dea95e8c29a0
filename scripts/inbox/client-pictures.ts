// Pictures for the pages about clients: the first question of an agent in each client that `init` sets up, in the inbox.
//
// The client is imitated by its name. A person gets the same picture with the client itself and ASSENT_ASKS_SURFACES=inbox.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { knownClients } from '../../packages/gateway/src/call/clients/known-clients.ts'
import { initClients } from '../../packages/gateway/src/setup/init/clients.ts'
import { clientPicture } from '../docs/clients.ts'
import { agentHome, signInLink, startAgent, writeProject } from './agent-client.ts'

const look = { viewport: { width: 1120, height: 560 }, colorScheme: 'light', reducedMotion: 'reduce' } as const

/** As step 4 of each page asks for it. */
const question = {
  question: 'Which colour do you like?',
  options: ['Blue', 'Green', 'Orange'].map((label) => ({ value: label.toLowerCase(), label })),
}

export async function clientPictures(
  browser: Browser,
  save: (page: Page, file: string) => Promise<void>,
): Promise<void> {
  for (const { id, title } of initClients) {
    // Each with a folder of its own, so that only its question is open.
    const folder = mkdtempSync(join(tmpdir(), 'assent-client-'))
    const project = join(folder, 'notes-service')
    writeProject(project, 'feat/search', { 'package.json': '{ "name": "notes-service" }\n' })
    const home = await agentHome(folder)
    const agent = await startAgent(declaredName(title), project, home)
    const context = await browser.newContext(look)
    try {
      agent.ask('elicit_choice', question)
      const page = await context.newPage()
      await page.goto(await signInLink(project, home))
      await page.locator('.row').first().click()
      await page.locator('.card', { hasText: question.question }).waitFor()
      await save(page, clientPicture({ id }))
    } finally {
      await context.close()
      await agent.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function declaredName(title: string): string {
  const [name] = knownClients.find((client) => client.title === title)?.names ?? []
  if (name === undefined) throw new Error(`${title} is not a known client.`)
  return name.replace(/\*$/, '')
}
