// `assent` as a client starts it, with a hook that records every module it loads.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))

/** The modules that listing the tool needs: its instructions, its schemas, its texts and its registration. */
const definition = ['description.ts', 'index.ts', 'schema.ts', 'state/status.ts', 'text/tool.ts', 'tool.ts']

test('[ALONE-8] listing the tools loads only the definition of onboarding; its first call loads the rest', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-loading-'))
  onTestFinished(() => removeFolder(folder))
  const { client, loaded } = await startRecorded(folder)

  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('onboarding')
  expect(loaded()).toEqual(definition)

  await client.callTool({ name: 'onboarding', arguments: { action: 'status' } })
  expect(loaded()).toContain('run.ts')
})

async function startRecorded(folder: string) {
  const list = join(folder, 'loaded.txt')
  const hook = join(folder, 'hook.mjs')
  writeFileSync(list, '')
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => {
      appendFileSync(${JSON.stringify(list)}, url + '\\n')
      return next(url, context)
    } })`,
  )
  const client = new Client({ name: 'recorder', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=assent-source', '--import', hook, main],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ASSENT_HOME: join(folder, 'home'), ASSENT_ASKS_SURFACES: 'client' },
    stderr: 'inherit',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const inPackage = /\/packages\/onboarding\/src\/(.+)$/
  const loaded = () =>
    readFileSync(list, 'utf8')
      .split('\n')
      .flatMap((url) => inPackage.exec(url)?.[1] ?? [])
      .sort()
  return { client, loaded }
}
