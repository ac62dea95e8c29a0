// Checks the imports of a file against the import table and the package's own manifest.
//
// Works on a path, a text and the manifests, never on the disk, so every rule can be tested with a planted sample.
// An import that cannot be analysed is a violation.
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { isTestFile, type Manifest, type SourceFile, type Workspace } from '../workspace.ts'
import { type Reach, reachesOf } from './reaches.ts'
import { platformOf, table, takesTypesOnly } from './table.ts'
import { isTestKit, mayUseTestKit } from './test-kit.ts'

export type Rule =
  | 'table'
  | 'types-only'
  | 'deep-import'
  | 'leaves-package'
  | 'undeclared'
  | 'platform'
  | 'unreadable'
  | 'test-in-source'

export interface Violation {
  readonly rule: Rule
  readonly file: string
  readonly line: number
  readonly because: string
}

type Finding = Pick<Violation, 'rule' | 'because'> | null

interface ImportContext {
  readonly file: SourceFile
  readonly folder: string
  /** True for tests and tool configurations, which are not published. */
  readonly isUnpublished: boolean
  readonly workspace: Workspace
}

export function judgeImports(file: SourceFile, workspace: Workspace): Violation[] {
  const [, folder = ''] = file.path.split('/')
  const isUnpublished = isTestFile(file.path) || file.path.includes('.config.')
  const context: ImportContext = { file, folder, isUnpublished, workspace }
  if (!Object.hasOwn(table, folder)) {
    return [{ rule: 'table', file: file.path, line: 1, because: `${folder} has no row in test/boundaries/table.ts` }]
  }
  return reachesOf(file).flatMap((reach) => {
    const found = judge(reach, context)
    if (found === null) return []
    const what = reach.specifier === null ? 'a computed name' : `'${reach.specifier}'`
    return [
      { rule: found.rule, file: file.path, line: reach.line, because: `${reach.spelling} ${what}: ${found.because}` },
    ]
  })
}

/** A manifest may declare fewer packages than the table allows, never more. */
export function judgeManifest(folder: string, { packages }: Workspace): Violation[] {
  const manifest = packages[folder]
  if (manifest === undefined) return []
  const allowed = (table[folder] ?? []).map((other) => packages[other]?.name)
  const ours = Object.values(packages).map(({ name }) => name)
  return [...declaredBy(manifest)]
    .filter((name) => (folder === 'core' || ours.includes(name)) && !allowed.includes(name))
    .map((name) => ({
      rule: 'table',
      file: `packages/${folder}/package.json`,
      line: 1,
      because: `declares ${name}, which the table does not allow for ${folder}`,
    }))
}

/** The only file that imports what a person names on the command line: `assent run tool.ts`. */
const loadsGivenFiles = 'packages/gateway/src/program/tools-of-file.ts'

/** The only file that uses `node:module`: it keeps compiled code, and loads nothing. */
const keepsCompiledCode = 'packages/gateway/src/program/compiled-code.ts'

function judge(reach: Reach, context: ImportContext): Finding {
  const { specifier } = reach
  if (specifier === null && context.file.path === loadsGivenFiles) return null
  if (specifier === null) return refuse('unreadable', 'name the module, so that this test can read it')
  if (/^\.{0,2}[/\\]|^\.{1,2}$|^file:/.test(specifier)) return judgePath(specifier, context)
  if (specifier.startsWith('lib:')) return judgeLibrary(context)
  if (specifier.startsWith('#')) return refuse('unreadable', 'subpath imports hide their target')
  if (isBuiltin(specifier) || isNodeTypes(reach)) return judgePlatform(specifier, context)
  if (/^[a-z][a-z0-9+-]*:/i.test(specifier)) return refuse('unreadable', 'only packages and files can be imported')

  const name = packageOf(specifier)
  const target = Object.entries(context.workspace.packages).find(([, manifest]) => manifest.name === name)
  return target === undefined ? judgeThirdParty(name, context) : judgeOurs(reach, name, target[0], context)
}

/**
 * Node resolves a path as a URL (`%2e%2e` climbs), the compiler as a file name (`..//..` climbs twice). A path must
 * stay inside the package for both.
 */
function judgePath(specifier: string, { file, folder, isUnpublished }: ImportContext): Finding {
  const home = `/packages/${folder}/`
  const asUrl = new URL(specifier, `file:///${file.path}`).pathname
  const asFile = posix.resolve('/', posix.dirname(file.path), specifier.replaceAll('\\', '/').replace(/^file:/, ''))
  for (const target of [asUrl, asFile]) {
    if (isTestKit(target.slice(1))) {
      if (!isUnpublished) return refuse('test-in-source', 'only a test may load the test kit')
      if (asUrl !== asFile || !mayUseTestKit(folder, target.slice(1)))
        return refuse('table', `this part of the test kit uses packages that ${folder} may not import`)
      continue
    }
    if (!`${target}/`.startsWith(home)) return refuse('leaves-package', `a file of ${folder} stays inside ${folder}`)
    if (target.includes('/node_modules/')) return refuse('leaves-package', 'packages are imported by name')
    if (isTestFile(target) && !isUnpublished) return refuse('test-in-source', 'only a test may load a test')
  }
  return null
}

function judgeLibrary({ folder }: ImportContext): Finding {
  if (!Object.hasOwn(platformOf, folder)) return null
  return refuse('platform', `${folder} declares its platform only in its tsconfig`)
}

function judgePlatform(specifier: string, { file, folder, isUnpublished }: ImportContext): Finding {
  const name = specifier.startsWith('node:') ? specifier : `node:${specifier}`
  if (name === 'node:module' && file.path !== keepsCompiledCode)
    return refuse('unreadable', 'a custom loader could import anything')
  const allowed = platformOf[folder]
  if (allowed === undefined || isUnpublished || allowed.includes(name)) return null
  return refuse('platform', `${folder} may use ${allowed.join(' and ') || 'nothing'} of Node`)
}

function judgeThirdParty(name: string, { folder, isUnpublished, workspace }: ImportContext): Finding {
  const manifest = workspace.packages[folder]
  if (manifest !== undefined && declaredBy(manifest).has(name)) return null
  if (isUnpublished && Object.hasOwn(workspace.root.devDependencies ?? {}, name)) return null
  return refuse('undeclared', `packages/${folder}/package.json does not declare ${name}`)
}

function judgeOurs({ specifier, typeOnly }: Reach, name: string, target: string, context: ImportContext): Finding {
  const { folder, workspace } = context
  const manifest = workspace.packages[folder]
  const allowed = table[folder] ?? []
  if (target === folder) return refuse('table', 'a package imports its own files by path')
  if (!allowed.includes(target)) return refuse('table', `${folder} may import ${allowed.join(', ') || 'nothing'}`)
  const subpath = specifier?.replace(name, '.') ?? ''
  if (specifier !== name && !Object.hasOwn(workspace.packages[target]?.exports ?? {}, subpath)) {
    return refuse('deep-import', `only what the manifest of '${name}' exports is public`)
  }
  if (takesTypesOnly.includes(folder) && !typeOnly) return refuse('types-only', `${folder} may import only types`)
  if (manifest === undefined || !declaredBy(manifest).has(name)) {
    return refuse('undeclared', `packages/${folder}/package.json does not declare ${name}`)
  }
  return null
}

function isNodeTypes({ specifier, spelling }: Reach): boolean {
  return spelling === '/// <reference types>' && specifier?.split('/')[0] === 'node'
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function declaredBy({ dependencies, peerDependencies, optionalDependencies }: Manifest): Set<string> {
  return new Set(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }))
}

function refuse(rule: Rule, because: string): Finding {
  return { rule, because }
}
