// Checks the import table and the workspace rules on the real files, and that planted violations are found.
import { describe, expect, test } from 'vitest'
import { fileCycles, folderCycles, folderOrderViolations } from './boundaries/graph.ts'
import { barrelIn, hardCodedVersionsIn, meaninglessFolders, protocolTermsIn } from './boundaries/habits.ts'
import { judgeImports, judgeManifest, type Rule } from './boundaries/imports.ts'
import { sharedNames } from './boundaries/names.ts'
import * as planted from './boundaries/planted.ts'
import { plantedGraphs } from './boundaries/planted-graphs.ts'
import { reachesOf } from './boundaries/reaches.ts'
import { gatewayFolders, platformOf, table } from './boundaries/table.ts'
import { judgeTestKit } from './boundaries/test-kit.ts'
import { literalTextIn, proseIn } from './boundaries/ui-text.ts'
import { entriesOf, listFolders, readSources, readText, readWorkspace } from './workspace.ts'

const workspace = readWorkspace()
/** Folders whose texts for people and agents are collected in `text/` folders. */
const collectedTexts = [
  'packages/gateway/src/inbox/terminal',
  'packages/gateway/src/program',
  'packages/gateway/src/setup',
  'packages/tools/src',
  'packages/onboarding/src',
] as const
/** Other files of the gateway that show texts to people and agents, or return them. */
const collectedFiles = [
  ...['ask-service', 'body', 'inbox-app', 'passkeys/passkeys-api', 'playground/client-2025-11-25'],
  ...['playground/draw-result', 'playground/play-api', 'problem', 'secrets/secret-pages', 'secrets/server-api'],
  ...['sign-in-routes', 'visitors'],
]
  .map((name) => `packages/gateway/src/inbox/${name}.ts`)
  .concat(
    ['capabilities', 'relay', 'policy/policy-gate', 'route/await-answer', 'route/inbox-fallback'].map(callFile),
    ['deferred-calls', 'lost-calls', 'remote-calls', 'store-unavailable'].map((name) => callFile(`hold/${name}`)),
    'packages/gateway/src/notify/ask-message.ts',
  )
const packageSources = readSources('packages')
const allSources = [
  ...packageSources,
  ...['test', 'test-kit', 'scripts', 'proofs', 'benches', 'clients', 'examples'].flatMap(readSources),
]

describe('the workspace as it is', () => {
  test('[HOUSE-1] [HOUSE-2] [HOUSE-3] [HOUSE-4] [HOUSE-5] no file imports a module that its package may not import', () => {
    expect(packageSources.length).toBeGreaterThan(0)
    expect(packageSources.flatMap((file) => judgeImports(file, workspace))).toEqual([])
  })

  test('[HOUSE-1] no file of the test kit uses a package that its users may not import', () => {
    const files = readSources('test-kit')
    expect(files.length).toBeGreaterThan(0)
    expect(files.flatMap((file) => judgeTestKit(file, workspace))).toEqual([])
  })

  test('[HOUSE-1] no manifest declares a package that the table does not allow, and every package has a row', () => {
    expect(Object.keys(workspace.packages).sort()).toEqual(Object.keys(table).sort())
    expect(Object.keys(table).flatMap((folder) => judgeManifest(folder, workspace))).toEqual([])
  })

  test('[HOUSE-3] platform.d.ts in core declares exactly the Node modules that the table allows', () => {
    const path = 'packages/core/src/platform.d.ts'
    const declared = reachesOf({ path, text: readText(path) }).map(({ specifier }) => specifier)
    expect(declared).toEqual(platformOf.core)
  })

  test('[HOUSE-13] no import in the gateway goes against the folder order', () => {
    expect(folderOrderViolations(packageSources)).toEqual([])
  })

  test('[HOUSE-13] ARCHITECTURE.md lists the folders of the gateway', () => {
    const [, section = ''] = readText('ARCHITECTURE.md').split('| in `packages/gateway/src`')
    const [rows = ''] = section.split('\n\n')
    const listed = [...rows.matchAll(/^\| `([a-z]+)(?:\/|\.ts)`/gm)].map(([, name]) => name)
    expect(listed).toEqual(gatewayFolders)
  })

  test('[HOUSE-14] there are no import cycles between files or folders', () => {
    expect([...fileCycles(packageSources), ...folderCycles(packageSources)]).toEqual([])
  })

  test('[HOUSE-16] no two files of a package export different things by one name', () => {
    expect(sharedNames(packageSources)).toEqual([])
    const planted = [
      { path: 'packages/store/src/a.ts', text: `export interface Place {}\nexport function open() {}` },
      { path: 'packages/store/src/b.ts', text: `export type Place = 1\nexport const openAll = 1` },
      { path: 'packages/core/src/c.ts', text: `export class Place {}` },
      { path: 'packages/store/src/d.test.ts', text: `export const open = 1` },
    ]
    expect(sharedNames(planted)).toEqual([
      'store: Place is exported by packages/store/src/a.ts and packages/store/src/b.ts',
    ])
  })

  test('[HOUSE-15] no source file contains a hard-coded version', () => {
    expect(packageSources.flatMap(hardCodedVersionsIn)).toEqual([])
    const planted = { path: 'packages/gateway/src/a.ts', text: `// first line\nconst version = '0.0.0'` }
    expect(hardCodedVersionsIn(planted)).toEqual(['packages/gateway/src/a.ts:2 contains a hard-coded version'])
  })

  test('[HOUSE-22] the components of the web inbox contain no text of their own', () => {
    const components = packageSources.filter(({ path }) => path.startsWith('packages/inbox-web/'))
    expect(components.some(({ path }) => path.endsWith('.tsx'))).toBe(true)
    expect(components.flatMap(literalTextIn)).toEqual([])
    const text = [
      'const page = (',
      '  <p title="A title" className="row">Plain</p>',
      ')',
      "const other = <p aria-label={is ? 'One' : words.two}>{is && `Two ${name}`} {words.call('x')} ⚠ ·</p>",
    ].join('\n')
    expect(literalTextIn({ path: 'packages/inbox-web/src/ui/a.tsx', text })).toEqual([
      'packages/inbox-web/src/ui/a.tsx:2 contains the text "A title"',
      'packages/inbox-web/src/ui/a.tsx:2 contains the text "Plain"',
      'packages/inbox-web/src/ui/a.tsx:4 contains the text "Two"',
      'packages/inbox-web/src/ui/a.tsx:4 contains the text "One"',
    ])
  })

  test.each(collectedTexts)('[HOUSE-24] the texts of %s are in its text/ folder', (folder) => {
    const files = packageSources.filter(({ path }) => path.startsWith(`${folder}/`))
    expect(files.some(({ path }) => path.includes('/text/'))).toBe(true)
    expect(files.flatMap(proseIn)).toEqual([])
  })

  test('[HOUSE-24] what the inbox says about a request, why a call or a question has no result, and messages to approvers are in text/ folders', () => {
    const files = packageSources.filter(({ path }) => collectedFiles.includes(path))
    expect(files).toHaveLength(collectedFiles.length)
    expect(files.flatMap(proseIn)).toEqual([])
  })

  test('[HOUSE-24] sentences, words with a capital and parts of sentences are found outside a text/ folder', () => {
    const text = [
      "import { one } from './a file.ts'",
      "const kinds: Record<string, 'a type'> = { form: 'form', 'a key': 'accept' }",
      "const label = isOpen ? 'Approve' : `${count} more`",
      "write('\\u001b[H', ' · ', `${indent} ${label}`, 'Nothing was sent.')",
      "throw new Error('a bug of ours')",
      "site.reached('all files written')",
      "throw new Refusal('It is not possible.')",
    ].join('\n')
    expect(proseIn({ path: 'packages/tools/src/a.ts', text })).toEqual([
      'packages/tools/src/a.ts:3 contains the text "Approve"',
      'packages/tools/src/a.ts:3 contains the text "more"',
      'packages/tools/src/a.ts:4 contains the text "Nothing was sent."',
      'packages/tools/src/a.ts:7 contains the text "It is not possible."',
    ])
    expect(proseIn({ path: 'packages/tools/src/text/a.ts', text })).toEqual([])
    expect(proseIn({ path: 'packages/tools/src/a.test.ts', text })).toEqual([])
  })

  test('[HOUSE-6] protocol terms appear only in adapters', () => {
    expect(packageSources.flatMap(protocolTermsIn)).toEqual([])
  })

  test('[HOUSE-7] no folder has a meaningless name, and there are no barrel files', () => {
    expect(meaninglessFolders(listFolders())).toEqual([])
    const entries = entriesOf(workspace).map(({ path }) => path)
    expect(allSources.map((file) => barrelIn(file, entries)).filter((reason) => reason !== null)).toEqual([])
  })
})

describe('planted imports', () => {
  const { plantedWorkspace } = planted

  function rulesBrokenBy(path: string, text: string): Rule[] {
    return judgeImports({ path: `packages/${path}`, text }, plantedWorkspace).map(({ rule }) => rule)
  }

  test.each(planted.wrongDirection)('[HOUSE-1] %s: packages/%s may not contain %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.notByName)('[HOUSE-2] %s: packages/%s may not contain %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.undeclared)('[HOUSE-3] %s: packages/%s may not contain %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.unreadable)('[HOUSE-4] %s: packages/%s may not contain %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.notTyped)('[HOUSE-5] %s: packages/%s may not contain %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.notForTheKit)('[HOUSE-1] test-kit/%s may not contain %s', (path, text) => {
    expect(judgeTestKit({ path: `test-kit/${path}`, text }, plantedWorkspace)).toMatchObject([{ rule: 'table' }])
  })

  test.each(planted.forTheKit)('[HOUSE-1] test-kit/%s may contain %s', (path, text) => {
    expect(judgeTestKit({ path: `test-kit/${path}`, text }, plantedWorkspace)).toEqual([])
  })

  test.each(planted.allowed)('[HOUSE-1] packages/%s may contain %s', (path, text) => {
    expect(rulesBrokenBy(path, text)).toEqual([])
  })

  test.each(planted.harmless)('[HOUSE-4] code that only looks like an import is ignored: %s', (text) => {
    expect(rulesBrokenBy('core/src/a.ts', text)).toEqual([])
  })

  test('[HOUSE-4] a file that cannot be parsed is an error', () => {
    expect(() => rulesBrokenBy('core/src/a.ts', 'import {')).toThrow('cannot be parsed')
  })

  test('[HOUSE-4] a violation names its file, its line and its reason', () => {
    const text = `// first line\nimport { open } from '@assent/store'`
    expect(judgeImports({ path: 'packages/sdk/src/a.ts', text }, plantedWorkspace)).toEqual([
      {
        rule: 'table',
        file: 'packages/sdk/src/a.ts',
        line: 2,
        because: `import '@assent/store': sdk may import core`,
      },
    ])
  })

  test('[HOUSE-1] a manifest that declares more than the table allows is reported', () => {
    const bad = {
      ...plantedWorkspace,
      packages: {
        ...plantedWorkspace.packages,
        core: { name: '@assent/core', dependencies: { pg: '1' } },
        sdk: { name: '@assent/sdk', peerDependencies: { '@assent/store': '1' }, dependencies: { zod: '1' } },
      },
    }
    expect(['core', 'sdk', 'store'].flatMap((folder) => judgeManifest(folder, bad)).map((v) => v.because)).toEqual([
      'declares pg, which the table does not allow for core',
      'declares @assent/store, which the table does not allow for sdk',
    ])
  })
})

describe('planted import graphs', () => {
  test.each(plantedGraphs)('[HOUSE-13] [HOUSE-14] $name is found', ({ files, problems }) => {
    expect(problems(files)).toHaveLength(1)
  })

  test('[HOUSE-13] [HOUSE-14] imports to the right, and tests, are allowed', () => {
    const files = [
      { path: 'packages/gateway/src/program/a.ts', text: `import { b } from '../call/b.ts'` },
      { path: 'packages/gateway/src/call/b.ts', text: `import { c } from '../limits.ts'\nexport const b = c` },
      { path: 'packages/gateway/src/limits.ts', text: `export const c = 1` },
      { path: 'packages/gateway/src/call/b.test.ts', text: `import { a } from '../program/a.ts'` },
    ]
    expect([...folderOrderViolations(files), ...fileCycles(files), ...folderCycles(files)]).toEqual([])
  })
})

describe('planted folder names, barrel files and protocol terms', () => {
  test('[HOUSE-7] folders with meaningless names are found at any depth', () => {
    const folders = ['packages/core/src/form/', 'packages/core/src/utils/', 'test/lib/', 'types/', 'packages/common/a/']
    expect(meaninglessFolders(folders)).toEqual(['packages/core/src/utils/', 'test/lib/', 'types/'])
    expect(meaninglessFolders(['packages/library/', 'docs/shared-inbox/'])).toEqual([])
  })

  const barrels: readonly [path: string, text: string][] = [
    ['packages/core/src/form/index.ts', `export const a = 1`],
    ['packages/core/src/form/all.ts', `export { a } from './a.ts'\nexport type { B } from './b.ts'`],
    ['packages/core/src/form/all.ts', `import { b } from './b.ts'\nexport { a } from './a.ts'\nexport { b }`],
    ['packages/core/src/form/read.ts', `export * from './a.ts'\nexport const b = 1`],
    ['packages/core/src/index.ts', `export * from './a.ts'`],
    ['packages/core/src/index.ts', `export * as a from './a.ts'`],
  ]
  test.each(barrels)('[HOUSE-7] %s with %s is a barrel file', (path, text) => {
    expect(barrelIn({ path, text })).toContain(path)
  })

  test('[HOUSE-7] a file that the manifest exports may re-export single names', () => {
    const path = 'packages/sdk/src/testing.ts'
    expect(barrelIn({ path, text: `export { a } from './a.ts'` }, [path])).toBeNull()
    expect(barrelIn({ path, text: `export { a } from './a.ts'` }, [])).toContain(path)
    expect(barrelIn({ path, text: `export * from './a.ts'` }, [path])).toContain(path)
  })

  const noBarrels: readonly [path: string, text: string][] = [
    ['packages/core/src/index.ts', `export { a } from './a.ts'`],
    ['packages/core/src/form/read.ts', `import { a } from './a.ts'\nexport const b = a\nexport { c } from './c.ts'`],
    ['packages/core/src/form/read.ts', `const a = 1\nexport { a }`],
    ['packages/sdk/src/index.ts', `export {}`],
    ['packages/sdk/src/empty.ts', ``],
  ]
  test.each(noBarrels)('[HOUSE-7] %s with %s is not a barrel file', (path, text) => {
    expect(barrelIn({ path, text })).toBeNull()
  })

  test.each(['elicitation/create', 'input_required', 'requestState', 'inputRequests', 'inputResponses', 'enumNames'])(
    '[HOUSE-6] %s is found in code, and allowed in adapters, tests and comments',
    (word) => {
      const text = `// ${word} in a comment\nexport const method = '${word}'`

      expect(protocolTermsIn({ path: 'packages/gateway/src/call/route/routing.ts', text })).toEqual([
        `packages/gateway/src/call/route/routing.ts:2 contains ${word} outside an adapter`,
      ])
      for (const path of [
        'packages/gateway/src/servers/2026-07-28.ts',
        'packages/sdk/src/2025-11-25/push.ts',
        'packages/core/src/form/read.ts',
        'packages/core/src/form/encode-labels.ts',
        'packages/gateway/src/call/route/routing.test.ts',
      ]) {
        expect(protocolTermsIn({ path, text })).toEqual([])
      }
      expect(protocolTermsIn({ path: 'packages/core/src/seal/seal.ts', text: `/** Travels as ${word}. */` })).toEqual(
        [],
      )
    },
  )
})

function callFile(name: string): string {
  return `packages/gateway/src/call/${name}.ts`
}
