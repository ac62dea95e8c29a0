// A picture of the sample question: `assent try` itself raises it, as on a machine without a desktop, and prints the link.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { agentHome, program } from './agent-client.ts'

const look = { viewport: { width: 1120, height: 560 }, colorScheme: 'light', reducedMotion: 'reduce' } as const

export async function tryPicture(browser: Browser, save: (page: Page) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-try-'))
  const project = join(folder, 'my-project')
  mkdirSync(project)
  const { env } = await agentHome(folder)
  const command = spawn(process.execPath, [...program, 'try'], {
    ...{ cwd: project, env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const context = await browser.newContext(look)
  try {
    const page = await context.newPage()
    await page.goto(await firstLine(command.stdout))
    await page.locator('.card').getByRole('button', { name: 'Yes' }).waitFor()
    await save(page)
  } finally {
    await context.close()
    const ended = new Promise((resolve) => command.once('exit', resolve))
    command.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The link is all that the command writes there. */
async function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) if (line.trim() !== '') return line.trim()
  throw new Error('assent try ended without a link.')
}
