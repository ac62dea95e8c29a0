// Samples that break one rule each, samples that are allowed, and samples that only look like imports.
import type { Workspace } from '../workspace.ts'
import type { Rule } from './imports.ts'

type Forbidden = readonly (readonly [rule: Rule, path: string, text: string])[]
type Allowed = readonly (readonly [path: string, text: string])[]

/** Every import syntax, then every wrong direction, then a package without a row in the table. */
export const wrongDirection: Forbidden = [
  ['table', 'sdk/src/a.ts', `import { open } from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `import '@assent/store'`],
  ['table', 'sdk/src/a.ts', `import * as store from "@assent/store"`],
  ['table', 'sdk/src/a.ts', `import type { Store } from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `import { type Store } from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `import/* hidden */type{Store}from/**/'@assent/store'`],
  ['table', 'sdk/src/a.ts', `import { open } from '\\u0040assent/store'`],
  ['table', 'sdk/src/a.ts', `export { open } from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `export type { Store } from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `export * from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `export * as store from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `export type * from '@assent/store'`],
  ['table', 'sdk/src/a.ts', `const store = await import('@assent/store')`],
  ['table', 'sdk/src/a.ts', 'const store = await import(`@assent/store`)'],
  ['table', 'sdk/src/a.ts', `const store = await import(('@assent/store' as string))`],
  ['table', 'sdk/src/a.ts', `import store = require('@assent/store')`],
  ['table', 'sdk/src/a.ts', `import type store = require('@assent/store')`],
  ['table', 'sdk/src/a.cts', `export import store = require('@assent/store')`],
  ['table', 'sdk/src/a.cts', `const store = require('@assent/store')`],
  ['table', 'sdk/src/a.cts', `const path = require.resolve('@assent/store')`],
  ['table', 'sdk/src/a.ts', `const path = import.meta.resolve('@assent/store')`],
  ['table', 'sdk/src/a.ts', `let store: import('@assent/store').Store`],
  ['table', 'sdk/src/a.ts', `type Store = typeof import('@assent/store')`],
  ['table', 'sdk/src/a.ts', `/// <reference types="@assent/store" />`],
  ['table', 'sdk/src/a.ts', `declare module '@assent/store' { interface Store { more: string } }`],
  ['table', 'sdk/src/a.tsx', `export const Page = () => <p>{import('@assent/store')}</p>`],
  ['table', 'sdk/src/a.test.ts', `import { vi } from 'vitest'; vi.mock('@assent/store', () => ({}))`],
  ['table', 'sdk/src/a.test.ts', `import { open } from '@assent/store'`],
  ['table', 'core/src/a.ts', `import type { Store } from '@assent/store'`],
  ['table', 'core/src/a.ts', `import { ask } from '@assent/sdk'`],
  ['table', 'core/src/a.test.ts', `import { ask } from '@assent/sdk'`],
  ['table', 'core/src/a.ts', `import { newId } from '@assent/core'`],
  ['table', 'store/src/a.ts', `import { ask } from '@assent/sdk'`],
  ['table', 'tools/src/a.ts', `import { open } from '@assent/store'`],
  ['table', 'tools/src/a.ts', `import { gateway } from 'assent'`],
  ['table', 'gateway/src/a.ts', `import { App } from '@assent/inbox-web'`],
  ['table', 'inbox-web/src/a.ts', `import type { Store } from '@assent/store'`],
  ['table', 'extra/src/a.ts', `export {}`],
]

/** Imports of another package by something other than its name. */
export const notByName: Forbidden = [
  ['deep-import', 'store/src/a.ts', `import { newId } from '@assent/core/src/ids.ts'`],
  ['deep-import', 'tools/src/a.ts', `import { fake } from '@assent/sdk/src/testing.ts'`],
  ['deep-import', 'tools/src/a.ts', `import { fake } from '@assent/sdk/testing/fake'`],
  ['deep-import', 'store/src/a.ts', `import type { IdKind } from '@assent/core/dist/ids.js'`],
  ['deep-import', 'store/src/a.ts', `import manifest from '@assent/core/package.json' with { type: 'json' }`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from '../../store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import type { Store } from './../../store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from './deeper/../../../store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from '..//..//store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from './%2e%2e/%2E%2E/store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from '..\\\\..\\\\store\\\\src\\\\x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from '/packages/store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from 'file:///packages/store/src/x.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { ids } from '../../sdk-extra/src/ids.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `/// <reference path="../../store/src/x.d.ts" />`],
  ['leaves-package', 'sdk/src/a.ts', `new Worker(new URL('../../store/src/x.ts', import.meta.url))`],
  ['leaves-package', 'sdk/src/a.test.ts', `import { readWorkspace } from '../../../test/workspace.ts'`],
  ['leaves-package', 'sdk/src/a.ts', `import { open } from '../node_modules/@assent/store/src/x.ts'`],
]

/** Modules that the manifest does not declare, and Node modules that the table does not allow. */
export const undeclared: Forbidden = [
  ['undeclared', 'sdk/src/a.ts', `import pg from 'pg'`],
  ['undeclared', 'sdk/src/a.ts', `import type { Pool } from 'pg'`],
  ['undeclared', 'core/src/a.ts', `import canonicalize from 'canonicalize'`],
  ['undeclared', 'store/src/a.ts', `import { test } from 'vitest'`],
  ['undeclared', 'store/src/a.test.ts', `import left from 'left-pad'`],
  ['undeclared', 'tools/src/a.ts', `import { newId } from '@assent/core'`],
  ['undeclared', 'store/src/a.ts', `import { a } from '@assent/unknown'`],
  ['platform', 'core/src/a.ts', `import { readFileSync } from 'node:fs'`],
  ['platform', 'core/src/a.ts', `import { readFileSync } from 'fs'`],
  ['platform', 'core/src/a.ts', `import type { Socket } from 'node:net'`],
  ['platform', 'core/src/a.ts', `declare module 'node:fs' { export function readFileSync(path: string): string }`],
  ['platform', 'core/src/a.ts', `process.getBuiltinModule('fs')`],
  ['platform', 'core/src/a.ts', `/// <reference types="node" />`],
  ['platform', 'core/src/a.ts', `/// <reference lib="dom" />`],
  ['platform', 'inbox-web/src/a.ts', `import { join } from 'node:path'`],
]

/** The inbox may import only types; each of these would also load code. */
export const notTyped: Forbidden = [
  ['types-only', 'inbox-web/src/a.ts', `import { newId } from '@assent/core'`],
  ['types-only', 'inbox-web/src/a.ts', `import { type IdKind } from '@assent/core'`],
  ['types-only', 'inbox-web/src/a.ts', `export { newId } from '@assent/core'`],
  ['types-only', 'inbox-web/src/a.ts', `const core = await import('@assent/core')`],
  ['types-only', 'inbox-web/src/a.test.ts', `import { newId } from '@assent/core'`],
]

/** Imports that cannot be checked are refused. */
export const unreadable: Forbidden = [
  ['unreadable', 'sdk/src/a.ts', `const store = await import('@assent/' + 'store')`],
  ['unreadable', 'sdk/src/a.ts', 'const store = await import(`@assent/${name}`)'],
  ['unreadable', 'sdk/src/a.cts', `const store = require(name)`],
  ['unreadable', 'sdk/src/a.ts', `import { createRequire } from 'node:module'`],
  ['unreadable', 'sdk/src/a.ts', `import { open } from '#store'`],
  ['unreadable', 'sdk/src/a.ts', `import code from 'data:text/javascript,export default 1'`],
  ['test-in-source', 'sdk/src/a.ts', `import { person } from './person.test.ts'`],
  ['test-in-source', 'sdk/src/a.ts', `import { contract } from './contract.suite.ts'`],
  ['test-in-source', 'sdk/src/a.ts', `import { listen } from '../../../test-kit/listen.ts'`],
  ['test-in-source', 'sdk/src/a.ts', `import type { Listening } from '../../../test-kit/listen.ts'`],
  ['test-in-source', 'gateway/src/a.ts', `import { start } from '../../../test-kit/gateway/start.ts'`],
  ['table', 'sdk/src/a.test.ts', `import { openTestStore } from '../../../test-kit/store/open.ts'`],
  ['table', 'core/src/a.suite.ts', `import { start } from '../../../test-kit/gateway/start.ts'`],
  ['leaves-package', 'sdk/src/a.test.ts', `import { a } from '../../../test-kit/../test/workspace.ts'`],
  ['leaves-package', 'sdk/src/a.test.ts', `import { a } from '../../../test-kit-of-others/a.ts'`],
]

/** What files of the test kit may not use; paths are inside the kit. */
export const notForTheKit: readonly (readonly [path: string, text: string])[] = [
  ['listen.ts', `import { newId } from '@assent/core'`],
  ['mcp/client.ts', `import type { Store } from '@assent/store'`],
  ['listen.ts', `import { openTestStore } from './store/open.ts'`],
  ['store/open.ts', `import { createAssent } from '@assent/sdk'`],
  ['store/open.ts', `import { start } from '../gateway/start.ts'`],
  ['store/open.ts', `import { door } from '../../packages/gateway/src/index.ts'`],
  ['gateway/start.ts', `import { run } from '../../proofs/kill/run.ts'`],
]

export const forTheKit: readonly (readonly [path: string, text: string])[] = [
  ['listen.ts', `import { createServer } from 'node:http'\nimport pg from 'pg'`],
  ['store/open.ts', `import { listen } from '../listen.ts'\nimport { openSqlite } from '@assent/store'`],
  ['gateway/start.ts', `import { startGateway } from 'assent'\nimport { openTestStore } from '../store/open.ts'`],
  ['gateway/start.ts', `const main = new URL('../../packages/gateway/src/program/main.ts', import.meta.url)`],
]

export const allowed: Allowed = [
  ['sdk/src/a.test.ts', `import { listen } from '../../../test-kit/listen.ts'`],
  ['gateway/src/deep/a.suite.ts', `import { openTestStore } from '../../../../test-kit/store/open.ts'`],
  ['store/src/a.test.ts', `import { openTestStore } from '../../../test-kit/store/open.ts'`],
  ['tools/src/a.ts', `import { fake } from '@assent/sdk/testing'`],
  ['core/src/a.ts', `import { createHash } from 'node:crypto'\nimport { Buffer } from 'node:buffer'`],
  ['core/src/a.ts', `import { newId } from './ids.ts'\nexport * from './form/read.ts'`],
  ['core/src/form/a.ts', `import { newId } from './../../src/ids.ts'`],
  ['core/src/a.test.ts', `import { randomBytes } from 'node:crypto'\nimport { test } from 'vitest'`],
  ['core/src/a.test.ts', `import { readFileSync } from 'node:fs'\nimport * as check from './contract.suite.ts'`],
  ['store/src/a.ts', `import { newId, type IdKind } from '@assent/core'\nimport pg from 'pg'`],
  ['store/src/a.ts', `import { readFile } from 'node:fs/promises'`],
  ['store/src/a.ts', `const folder = new URL('../migrations/', import.meta.url)`],
  ['store/src/a.ts', `const folder = new URL(name, import.meta.url)`],
  ['store/src/a.ts', `/// <reference types="node" />`],
  ['inbox-web/src/a.ts', `import type { IdKind } from '@assent/core'\nlet a: import('@assent/core').JsonValue`],
  ['inbox-web/src/a.ts', `export type { IdKind } from '@assent/core'`],
  ['inbox-web/vite.config.ts', `import { defineConfig } from 'vitest/config'`],
]

export const harmless: readonly string[] = [
  `// import { open } from '@assent/store'`,
  `/* import '@assent/store' */`,
  `/** @example import { open } from '@assent/store' */\nexport const a = 1`,
  `const text = "import { open } from '@assent/store'"`,
  'const text = `\nimport { open } from "@assent/store"\nexport * from "@assent/store"\n`',
  `const pattern = /import '@assent\\/store'/`,
  `export const a = 1\n/// <reference types="@assent/store" />`,
  `/* / <reference types="@assent/store" /> */`,
  `const name = '@assent/store'\nexport { name }`,
  `function load(require: (name: string) => number) { return require }`,
  `loader.import('@assent/store')`,
  `const a = { require: '@assent/store', from: '../../store/src/x.ts' }`,
  `const url = new URL('../../store', 'https://example.com/a/b/')`,
  `import a = Names.Inner\nnamespace Names { export const Inner = 1 }`,
  `declare module Names { export const a: '@assent/store' }`,
]

export const plantedWorkspace: Workspace = {
  root: { name: 'assent-workspace', devDependencies: { vitest: '1' } },
  packages: {
    core: { name: '@assent/core' },
    sdk: { name: '@assent/sdk', dependencies: { '@assent/core': '1' }, exports: { '.': {}, './testing': {} } },
    tools: { name: '@assent/tools', dependencies: { '@assent/sdk': '1' } },
    store: { name: '@assent/store', dependencies: { '@assent/core': '1', pg: '1' } },
    gateway: { name: 'assent' },
    'inbox-web': { name: '@assent/inbox-web', dependencies: { '@assent/core': '1' } },
  },
}
