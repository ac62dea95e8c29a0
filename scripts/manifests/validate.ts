// Checks the manifests with the validators of their vendors: `npm run manifests -- --validate`.
//
// The validator of Claude Code is installed into a scratch folder, because it is not free software. The schemas are downloaded
// from the addresses that the manifests name; with --schemas, they are read from a folder instead, by the last part of the
// address: `server.schema.json`.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { run } from '../build/run.ts'
import { cursorLink, vsCodeLink } from './links.ts'

const folder = 'integrations'
const validators = { '@anthropic-ai/claude-code': '2.1.326' }
/** Manifests with a JSON schema. */
const withSchema = ['registry/server.json', 'agent-plugin/plugin.json', 'agent-plugin/mcp.json']

/** Returns one line per manifest, with the version of its validator. Throws if one is invalid. */
export async function validateManifests(schemas?: string): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'assent-validators-'))
  try {
    writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true, dependencies: validators }))
    run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], scratch)
    const bundle = JSON.parse(readFileSync('node_modules/@anthropic-ai/mcpb/package.json', 'utf8'))
    run('mcpb', ['validate', `${folder}/mcpb/manifest.json`])
    const lines = [`mcpb/manifest.json: valid (${bundle.name} ${bundle.version})`, ...claudeLines(scratch)]
    for (const path of withSchema) lines.push(await schemaLine(path, schemas))
    return [...lines, ...linkLines()]
  } finally {
    await removeFolder(scratch)
  }
}

/** Warnings count as errors. */
function claudeLines(scratch: string): string[] {
  const claude = join(scratch, 'node_modules', '.bin', 'claude')
  const env = { ...process.env, HOME: scratch }
  const version = run(claude, ['--version'], undefined, env).trim()
  for (const path of [`${folder}/claude-plugin`, folder])
    run(claude, ['plugin', 'validate', '--strict', path], undefined, env)
  return ['claude-plugin', '.claude-plugin/marketplace.json'].map((path) => `${path}: valid (${version})`)
}

async function schemaLine(path: string, schemas: string | undefined): Promise<string> {
  const manifest = JSON.parse(readFileSync(`${folder}/${path}`, 'utf8'))
  const problems = schemaProblems(manifest, await schemaAt(manifest.$schema, schemas))
  if (problems.length > 0) throw new Error(`${path} is invalid:\n${problems.join('\n')}`)
  return `${path}: valid (${manifest.$schema})`
}

export function schemaProblems(manifest: unknown, schema: Record<string, unknown>): string[] {
  // The schemas contain examples and other words that Ajv does not know.
  const options = { strict: false, allErrors: true }
  const ajv = String(schema.$schema).includes('2020-12') ? new Ajv2020(options) : new Ajv(options)
  addFormats.default(ajv)
  const isValid = ajv.compile(schema)
  if (isValid(manifest)) return []
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
}

async function schemaAt(address: string, schemas: string | undefined): Promise<Record<string, unknown>> {
  const file = join(schemas ?? '', basename(address))
  if (schemas !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const response = await fetch(address).catch((error: unknown) => {
    throw new Error(`${address} cannot be downloaded (${error}). Give a folder that has it: --schemas <folder>`)
  })
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}

/** Their vendors have no validator: each link must contain a command that can be read back. */
function linkLines(): string[] {
  const links = { 'vscode.dev': vsCodeLink('vscode.dev'), 'cursor.com': cursorLink() }
  return Object.entries(links).map(([host, link]) => {
    const config = new URL(link).searchParams.get('config') ?? ''
    const { command, args } = JSON.parse(config.startsWith('{') ? config : Buffer.from(config, 'base64').toString())
    return `install link for ${host}: starts ${[command, ...args].join(' ')}`
  })
}
