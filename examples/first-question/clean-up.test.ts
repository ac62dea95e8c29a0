import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAssent } from '@assent/sdk'
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { McpServer } from '@modelcontextprotocol/server'
import { addCleanUp } from './clean-up.ts'

test('deletes the folder only after an approval', async () => {
  process.chdir(mkdtempSync(join(tmpdir(), 'clean-up-')))
  mkdirSync('build')
  const tool = addCleanUp(createAssent({ name: 'files' }), new McpServer({ name: 'files', version: '1.0.0' }))

  await callTool(tool, { folder: 'build' }, { person: scriptedPerson().declines() })
  assert.equal(existsSync('build'), true)

  await callTool(tool, { folder: 'build' }, { person: scriptedPerson().approves() })
  assert.equal(existsSync('build'), false)
})
