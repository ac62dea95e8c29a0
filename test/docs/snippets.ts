// The YAML and Cedar examples of the start pages and guides, each read as the program reads it.
//
// An example with `servers` is a whole configuration. Any other one is a part: it is completed with what its page assumes.
import { Policies } from '@assent/policy'
import { parse, stringify } from 'yaml'
import { type Problem, problemText } from '../../packages/gateway/src/config/problem.ts'
import { readConfig } from '../../packages/gateway/src/config/read-config.ts'
import { readCases } from '../../packages/gateway/src/program/policy-cases.ts'

interface Snippet {
  readonly language: 'yaml' | 'cedar'
  readonly text: string
}

const key = Buffer.alloc(32).toString('base64')
const variables = {
  GITHUB_TOKEN: 't',
  INBOX_SECRET: 's',
  NTFY_TOKEN: 't',
  PDP_TOKEN: 't',
  POD_IP: '10.0.0.5',
  REGISTRY_SECRETS_TOKEN: 'a-token-of-at-least-32-characters',
  SLACK_WEBHOOK: 'https://hooks.slack.com/services/T0/B0/x',
  SMTP_PASSWORD: 'p',
  TEAMS_WEBHOOK: 'https://example.com/workflows/1',
  WEBHOOK_SECRET: `whsec_${key}`,
}

const server = { servers: { deploy: { command: 'node' } } }
/** What a part assumes besides one server, by page. */
const assumed: Readonly<Record<string, object>> = {
  'docs/start/first-policy.md': { servers: { files: { command: 'node' } } },
  'docs/guides/approvals.md': {
    servers: { deploy: { command: 'node' }, billing: { command: 'node' } },
    asks: { surfaces: ['inbox'] },
    identity: {
      issuer: 'https://login.example.com',
      audience: 'https://assent.example.com/mcp',
      groups_claim: 'groups',
    },
    inbox: { url: 'https://assent.example.com', client_id: 'assent-inbox' },
    groups: {
      release: ['group:release-managers'],
      finance: ['group:finance'],
      directors: ['group:directors'],
      platform: ['group:platform'],
    },
  },
  'docs/guides/replicas.md': {
    store: 'postgres://assent@db.internal/assent',
    keys: { k1: '${file:k1.key}' },
  },
}
const somePolicy = '@id("some")\npermit (principal, action, resource);\n'

/** Also those in lists. */
export function snippetsIn(page: string): Snippet[] {
  return [...page.matchAll(/^( *)```(yaml|cedar)\n([\s\S]*?)^ *```/gm)].map(([, indent = '', language, code = '']) => ({
    language: language as Snippet['language'],
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** Empty if the example is valid. */
export async function snippetProblems(page: string, { language, text }: Snippet): Promise<string[]> {
  if (language === 'cedar') return configProblems(completed(page, { policies: { cedar: 'policies' } }), text)
  const written: unknown = parse(text)
  if (!Array.isArray(written)) {
    const isWhole = Object.hasOwn(Object(written), 'servers')
    return configProblems(isWhole ? text : completed(page, Object(written)))
  }
  if (!written.some((item) => Object.hasOwn(Object(item), 'expect')))
    return configProblems(completed(page, { policies: written }))
  const read = configOf(completed(page, {}))
  if (!read.ok) return read.problems.map(inFile)
  const cases = readCases(text, read.config, 0)
  return cases.ok ? [] : cases.problems.map(inFile)
}

async function configProblems(text: string, cedar = somePolicy): Promise<string[]> {
  const read = configOf(text, cedar)
  if (!read.ok) return read.problems.map(inFile)
  if (read.config.policies === undefined) return []
  const opened = await Policies.open(read.config.policies)
  return opened instanceof Policies ? [] : opened.map(({ problem }) => problem)
}

function configOf(text: string, cedar = somePolicy) {
  return readConfig(text, {
    variables,
    readFile: () => ({ ok: true, text: key }),
    readCedar: (name) => ({ ok: true, files: [{ file: name, text: cedar }] }),
  })
}

function completed(page: string, part: object): string {
  return stringify({ ...server, ...assumed[page], ...part })
}

function inFile(problem: Problem): string {
  return problemText('example', problem)
}
