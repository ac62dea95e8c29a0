// Holds the import table and the habits of the house, on the real files and on planted ones.
import { describe, expect, test } from 'vitest'
import { barrelIn, foldersThatSayNothing, wireWordsIn } from './boundaries/habits.ts'
import { judgeImports, judgeManifest, type Rule } from './boundaries/imports.ts'
import * as planted from './boundaries/planted.ts'
import { reachesOf } from './boundaries/reaches.ts'
import { platformOf, table } from './boundaries/table.ts'
import { entriesOf, listFolders, readSources, readText, readWorkspace } from './workspace.ts'

const workspace = readWorkspace()
const packageSources = readSources('packages')
const allSources = [...packageSources, ...['test', 'scripts', 'proofs', 'benches', 'examples'].flatMap(readSources)]

describe('the workspace as it is', () => {
  test('[HOUSE-1] [HOUSE-2] [HOUSE-3] [HOUSE-4] [HOUSE-5] no file imports what its package may not', () => {
    expect(packageSources.length).toBeGreaterThan(0)
    expect(packageSources.flatMap((file) => judgeImports(file, workspace))).toEqual([])
  })

  test('[HOUSE-1] no manifest declares what the table refuses, and every package has its row', () => {
    expect(Object.keys(workspace.packages).sort()).toEqual(Object.keys(table).sort())
    expect(Object.keys(table).flatMap((folder) => judgeManifest(folder, workspace))).toEqual([])
  })

  test('[HOUSE-3] what core declares of the platform by hand is what the table gives it', () => {
    const path = 'packages/core/src/platform.d.ts'
    const declared = reachesOf({ path, text: readText(path) }).map(({ specifier }) => specifier)
    expect(declared).toEqual(platformOf.core)
  })

  test('[HOUSE-6] the protocol’s own words stay in its adapters', () => {
    expect(packageSources.flatMap(wireWordsIn)).toEqual([])
  })

  test('[HOUSE-7] there are no folders that say nothing, and no barrels', () => {
    expect(foldersThatSayNothing(listFolders())).toEqual([])
    const entries = entriesOf(workspace).map(({ path }) => path)
    expect(allSources.map((file) => barrelIn(file, entries)).filter((reason) => reason !== null)).toEqual([])
  })
})

describe('planted imports', () => {
  const { plantedWorkspace } = planted

  function rulesBrokenBy(path: string, text: string): Rule[] {
    return judgeImports({ path: `packages/${path}`, text }, plantedWorkspace).map(({ rule }) => rule)
  }

  test.each(planted.wrongDirection)('[HOUSE-1] %s: packages/%s may not say %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.aroundTheDoor)('[HOUSE-2] %s: packages/%s may not say %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.undeclared)('[HOUSE-3] %s: packages/%s may not say %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.unreadable)('[HOUSE-4] %s: packages/%s may not say %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.notTyped)('[HOUSE-5] %s: packages/%s may not say %s', (rule, path, text) => {
    expect(rulesBrokenBy(path, text)).toContain(rule)
  })

  test.each(planted.allowed)('[HOUSE-1] packages/%s may say %s', (path, text) => {
    expect(rulesBrokenBy(path, text)).toEqual([])
  })

  test.each(planted.harmless)('[HOUSE-4] a look-alike raises no alarm: %s', (text) => {
    expect(rulesBrokenBy('core/src/a.ts', text)).toEqual([])
  })

  test('[HOUSE-4] a file that cannot be parsed is not passed over', () => {
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

  test('[HOUSE-1] a manifest that declares more than the table gives is found', () => {
    const bad = {
      ...plantedWorkspace,
      packages: {
        ...plantedWorkspace.packages,
        core: { name: '@assent/core', dependencies: { pg: '1' } },
        sdk: { name: '@assent/sdk', peerDependencies: { '@assent/store': '1' }, dependencies: { zod: '1' } },
      },
    }
    expect(['core', 'sdk', 'store'].flatMap((folder) => judgeManifest(folder, bad)).map((v) => v.because)).toEqual([
      'declares pg, which the table does not give to core',
      'declares @assent/store, which the table does not give to sdk',
    ])
  })
})

describe('planted habits', () => {
  test('[HOUSE-7] folders that say nothing are found at any depth', () => {
    const folders = ['packages/core/src/form/', 'packages/core/src/utils/', 'test/lib/', 'types/', 'packages/common/a/']
    expect(foldersThatSayNothing(folders)).toEqual(['packages/core/src/utils/', 'test/lib/', 'types/'])
    expect(foldersThatSayNothing(['packages/library/', 'docs/shared-inbox/'])).toEqual([])
  })

  const barrels: readonly [path: string, text: string][] = [
    ['packages/core/src/form/index.ts', `export const a = 1`],
    ['packages/core/src/form/all.ts', `export { a } from './a.ts'\nexport type { B } from './b.ts'`],
    ['packages/core/src/form/all.ts', `import { b } from './b.ts'\nexport { a } from './a.ts'\nexport { b }`],
    ['packages/core/src/form/read.ts', `export * from './a.ts'\nexport const b = 1`],
    ['packages/core/src/index.ts', `export * from './a.ts'`],
    ['packages/core/src/index.ts', `export * as a from './a.ts'`],
  ]
  test.each(barrels)('[HOUSE-7] %s is a barrel when it says %s', (path, text) => {
    expect(barrelIn({ path, text })).toContain(path)
  })

  test('[HOUSE-7] a file that the manifest exports may pass names on, one by one', () => {
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
  test.each(noBarrels)('[HOUSE-7] %s is no barrel when it says %s', (path, text) => {
    expect(barrelIn({ path, text })).toBeNull()
  })

  test.each(['elicitation/create', 'input_required', 'requestState', 'inputRequests', 'inputResponses', 'enumNames'])(
    '[HOUSE-6] %s is found in code, and left alone where it belongs',
    (word) => {
      const text = `// ${word} in a comment\nexport const method = '${word}'`

      expect(wireWordsIn({ path: 'packages/gateway/src/relay/route.ts', text })).toEqual([
        `packages/gateway/src/relay/route.ts:2 says ${word} outside an adapter`,
      ])
      for (const path of [
        'packages/gateway/src/upstream/2026-07-28.ts',
        'packages/sdk/src/2025-11-25/push.ts',
        'packages/core/src/form/read.ts',
        'packages/core/src/form/encode-labels.ts',
        'packages/gateway/src/relay/route.test.ts',
      ]) {
        expect(wireWordsIn({ path, text })).toEqual([])
      }
      expect(wireWordsIn({ path: 'packages/core/src/seal/seal.ts', text: `/** Travels as ${word}. */` })).toEqual([])
    },
  )
})
