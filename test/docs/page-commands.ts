// The commands of the README and the start pages, and what runs each of them.
//
// [SITE-10] runs every command that is not listed here (test/site/start-pages.test.ts). The lists are the only exceptions: `runElsewhere`
// names the test or script that runs the command, with words that this file contains; `notRun` gives a reason.
import { globSync } from 'node:fs'
import { stepsOf, withoutComment } from '../../scripts/registry/page-steps.ts'
import { readText } from '../workspace.ts'

export const commandPages = ['README.md', ...globSync('docs/start/**/*.md').sort()].map((path) =>
  path.replaceAll('\\', '/'),
)

interface RunElsewhere {
  readonly file: string
  readonly words: string
}

const nightlyRegistry = { file: '.github/workflows/nightly.yml', words: '- registry -- ' }

/** Mostly commands that wait for a person, a client, a signal, or a download. */
const runElsewhere: Readonly<Record<string, RunElsewhere>> = {
  assent: { file: 'test/alone/terminal.test.ts', words: 'openTmux({ file: main' },
  'assent try': { file: 'packages/gateway/src/program/standalone/try.test.ts', words: "assent(['try']" },
  'assent doctor': { file: 'packages/gateway/src/setup/doctor/doctor.test.ts', words: "assent(['doctor'" },
  'assent inbox': { file: 'scripts/registry/person.ts', words: 'npx assent inbox$' },
  'assent inbox open': {
    file: 'packages/gateway/src/program/standalone/notification.test.ts',
    words: "assent(['inbox', 'open']",
  },
  'assent inbox link --config assent.yaml': {
    file: 'packages/gateway/src/program/inbox.test.ts',
    words: "['inbox', 'link', '--config', join(gateway.folder, 'assent.yaml')]",
  },
  'assent gateway': { file: 'packages/gateway/src/program/gateway.test.ts', words: "'gateway', '--config'" },
  'assent servers': { file: 'packages/gateway/src/program/servers.test.ts', words: "assent(['servers']" },
  'assent servers --config other.yaml': {
    file: 'packages/gateway/src/program/servers.test.ts',
    words: "assent(['servers', '--config', 'a.yaml']",
  },
  'assent config check --live': {
    file: 'packages/gateway/src/program/live-check.test.ts',
    words: "['config', 'check', '--live']",
  },
  'assent policy check --live': {
    file: 'packages/gateway/src/program/policy.test.ts',
    words: "['policy', 'check', '--live'",
  },
  'npx -y assent@0.1.0': { file: 'scripts/registry.ts', words: 'npx assent@$' },
  'npm install @assent/sdk @modelcontextprotocol/server zod': nightlyRegistry,
  'npm install @assent/sdk @modelcontextprotocol/server': nightlyRegistry,
  'npm install @assent/sdk': nightlyRegistry,
  'npm install @modelcontextprotocol/node': nightlyRegistry,
  'npm install --save-dev typescript @types/node': { file: 'scripts/build/try-as-stranger.ts', words: "'@types/node'" },
  'npx tsc --init --types node --rewriteRelativeImportExtensions': {
    file: 'scripts/build/try-as-stranger.ts',
    words: "['--init', '--types', 'node', '--rewriteRelativeImportExtensions']",
  },
  'npx tsc --noEmit': { file: 'scripts/build/try-as-stranger.ts', words: "run('tsc', ['--noEmit'], home)" },
  'node try.ts': { file: 'scripts/build/try-as-stranger.ts', words: "['try.ts']" },
  'node --test': { file: 'scripts/build/try-as-stranger.ts', words: "run(process.execPath, ['--test'], home)" },
  'node http.ts': { file: 'examples/examples.test.ts', words: "start('first-question/http'" },
  'npm ci': { file: '.ci/run', words: "'npm ci " },
  'npm run pack:check': { file: '.ci/run', words: "'npm run pack:check " },
  'npm install /path/to/clone/dist/*.tgz': { file: 'scripts/pack-check.ts', words: "['install', " },
  'npm run try': { file: 'test/site/start-pages.test.ts', words: "['run', '--silent', 'try']" },
  'npm run demo': { file: 'test/demo/demo.test.ts', words: "'scripts/demo.ts'" },
  'npm run example -- deploy --terminal': {
    file: 'examples/examples.test.ts',
    words: "openTmux({ file: fileOf('deploy'), args: ['--terminal']",
  },
  'npm run docs': { file: 'test/docs/docs.test.ts', words: 'generatedPages()' },
  'npm run manifests': { file: 'test/manifests.test.ts', words: 'npm run manifests' },
  'npm run prove -- race': { file: '.ci/run', words: '"npm run prove -- race ' },
}

const notRun: Readonly<Record<string, string>> = {
  'npm install zod': 'a part of a sentence; the package is installed with those of the first example',
  'npm install': 'a part of a sentence, without the packages',
  'npx -y assent@<version>': 'a form; the same command with a version is run',
  'npm run recording': 'needs a desktop, and writes a picture of the README',
  'npm run screenshots': 'writes the pictures of the docs',
  'npm run clients': 'needs the programs of other vendors',
  'npm run walk': 'writes a guide and its pictures',
}

/** In shell blocks, and between backticks in the text. `npx assent` is `assent`. */
export function commandsOf(page: string): string[] {
  const blocks = stepsOf(page).flatMap((step) => (step.kind === 'command' ? [withoutComment(step.text)] : []))
  const prose = page.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  const isCommand = (text: string) => /^(npx|npm|node|assent|mkdir|ssh|git|docker|bash|sh|curl) (?!error )/.test(text)
  const written = [...blocks, ...inline.filter(isCommand)].map((line) => line.replace(/^npx assent(?= |$)/, 'assent'))
  return [...new Set(written)]
}

/** What is wrong with the lists, for these pages: commands that are in both, entries of no page, evidence that is gone. */
export function listProblems(pages: readonly string[]): string[] {
  const named = new Set(pages.flatMap(commandsOf))
  const listed = [...Object.keys(runElsewhere), ...Object.keys(notRun)]
  return [
    ...Object.keys(notRun).flatMap((line) => (Object.hasOwn(runElsewhere, line) ? [`${line} is in both lists`] : [])),
    ...listed.flatMap((line) => (named.has(line) ? [] : [`no page names ${line}`])),
    ...Object.entries(runElsewhere).flatMap(([line, { file, words }]) =>
      readText(file).includes(words) ? [] : [`${file} does not run ${line}`],
    ),
  ]
}

export function isRunHere(line: string): boolean {
  return !Object.hasOwn(runElsewhere, line) && !Object.hasOwn(notRun, line)
}

/** What [SITE-10] can run: `assent`, and commands that need neither network nor a person. */
export function canRunHere(line: string): boolean {
  return /^assent /.test(line) || /^(mkdir [\w-]+|npm init -y)( && (cd [\w-]+|npm pkg set [\w=]+))?$/.test(line)
}
