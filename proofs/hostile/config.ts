// Hostile configurations: mutated files and bombs. A configuration that is accepted must not open the listener to other
// machines if the original did not, and no error message may contain a referenced secret.
//
// The operator writes this file, so reading time is not checked; only crashes and open listeners count.
import { readConfig } from '../../packages/gateway/src/config/read-config.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { spoiled } from './texts.ts'
import type { Score } from './watch.ts'

const secret = 'canary-5f1d0c7a'
const around = {
  variables: { TOKEN: secret, ASSENT_LISTEN: undefined },
  readFile: () => ({ ok: true, text: secret }) as const,
}

const sound: readonly string[] = [
  'servers: { files: { command: my-server } }\n',
  `listen: 127.0.0.1:7420
store: sqlite:./assent.db
identity: { issuer: "https://login.example.com", audience: "https://assent.example.com/mcp" }
servers:
  github: { url: "https://mcp.github.example/mcp", headers: { Authorization: "Bearer \${env:TOKEN}" } }
  deploy: { command: npx, args: [-y, "@acme/deploy-mcp"], env: { KEY: "\${file:./key}" } }
asks:
  wait: 10m
limits: { open_per_caller: 16, open_total: 10000 }
`,
  '{"listen":"[::1]:0","servers":{"a":{"url":"http://127.0.0.1:1/mcp"}},"asks":{"enabled":false}}',
]

const bombs: readonly string[] = [
  '',
  '['.repeat(20_000),
  '{a: '.repeat(5_000),
  `a: &a [${'x,'.repeat(10)}]\n${Array.from({ length: 20 }, (_, at) => `b${at}: &b${at} [*a,*a,*a]`).join('\n')}`,
  `servers: !!js/function "process.exit()"`,
  `servers: { "__proto__": { command: x }, constructor: { command: y } }`,
  `x: "${'\\u0041'.repeat(20_000)}"`,
  `${'a'.repeat(200_000)}: 1`,
  `? ${'- '.repeat(2_000)}`,
  'servers: { a: { command: "${env:${env:TOKEN}}" } }',
  'servers: { a: { command: "${file:/etc/passwd}" } }\nlisten: 0.0.0.0:1',
]

export function soundConfigs(score: Score): void {
  for (const text of sound) {
    score.count('sound configuration')
    const read = readConfig(text, around)
    if (!read.ok) score.mistake('a sound configuration was refused', text, read.problems)
  }
  for (const text of bombs) config(score, text, 'bomb as a configuration')
}

export function mutatedConfig(random: SeededRandom, score: Score): void {
  config(score, spoiled(random, random.pick(sound), sound), 'mutated configuration')
}

function config(score: Score, text: string, kind: string): void {
  score.count(kind)
  try {
    const read = readConfig(text, around)
    const messages = JSON.stringify(read.ok ? read.warnings : [read.problems, read.warnings])
    if (messages.includes(secret)) score.mistake('an error contains a secret', text, messages)
    if (!read.ok) return
    const { listen, identity, servers } = read.config
    const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(listen.host) || /^127\.\d+\.\d+\.\d+$/.test(listen.host)
    if (!isLocal && identity === undefined) score.mistake('the gateway listens to other machines', text, read.config)
    if (Object.keys(servers).length === 0) score.mistake('a gateway without servers', text)
  } catch (error) {
    score.crash(kind, text, error)
  }
}
