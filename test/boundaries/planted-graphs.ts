// Import graphs that each break one rule, for the boundary test and for `npm run check:graph`.
import type { SourceFile } from '../workspace.ts'
import { fileCycles, folderCycles, folderOrderViolations } from './graph.ts'

export interface PlantedGraph {
  readonly name: string
  readonly files: readonly SourceFile[]
  readonly problems: (files: readonly SourceFile[]) => readonly unknown[]
}

const gateway = (files: Readonly<Record<string, string>>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => ({ path: `packages/gateway/src/${path}`, text }))

export const plantedGraphs: readonly PlantedGraph[] = [
  {
    name: 'call imports clients',
    files: gateway({ 'call/a.ts': `import { b } from '../clients/b.ts'`, 'clients/b.ts': `export const b = 1` }),
    problems: folderOrderViolations,
  },
  {
    name: 'protocol imports a type of call',
    files: gateway({
      'protocol/a.ts': `import type { B } from '../call/route/b.ts'`,
      'call/route/b.ts': `export type B = 1`,
    }),
    problems: folderOrderViolations,
  },
  {
    name: 'limits imports protocol',
    files: gateway({ 'limits.ts': `import { b } from './protocol/b.ts'`, 'protocol/b.ts': `export const b = 1` }),
    problems: folderOrderViolations,
  },
  {
    name: 'config imports servers with import()',
    files: gateway({
      'config/a.ts': `const b = await import('../servers/b.ts')`,
      'servers/b.ts': `export const b = 1`,
    }),
    problems: folderOrderViolations,
  },
  {
    name: 'a folder outside the order',
    files: gateway({ 'relay/a.ts': `export const a = 1` }),
    problems: folderOrderViolations,
  },
  {
    name: 'two files that import types of each other',
    files: gateway({
      'call/a.ts': `import type { B } from './b.ts'\nexport type A = B`,
      'call/b.ts': `import type { A } from './a.ts'\nexport type B = A`,
    }),
    problems: fileCycles,
  },
  {
    name: 'three files in a circle',
    files: gateway({
      'call/a.ts': `import { b } from './b.ts'`,
      'call/b.ts': `import { c } from './c.ts'`,
      'call/c.ts': `export { a } from './a.ts'`,
    }),
    problems: fileCycles,
  },
  {
    name: 'two folders that import each other through different files',
    files: gateway({
      'call/a.ts': `import { b } from '../cluster/b.ts'`,
      'call/c.ts': `export const c = 1`,
      'cluster/b.ts': `export const b = 1`,
      'cluster/d.ts': `import { c } from '../call/c.ts'`,
    }),
    problems: folderCycles,
  },
]
