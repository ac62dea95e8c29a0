// The import graph inside the packages: the folder order of the gateway, and cycles between files or folders.
//
// Type imports count. Tests, suites and corpora are left out: they may import everything in their package.
import { posix } from 'node:path'
import { isTestFile, type SourceFile } from '../workspace.ts'
import { reachesOf } from './reaches.ts'
import { gatewayFolders } from './table.ts'

/** An import of one source file by another one in the same package. */
interface Edge {
  readonly from: string
  readonly to: string
  readonly line: number
}

const gatewaySources = 'packages/gateway/src/'

function edgesOf(files: readonly SourceFile[]): Edge[] {
  const known = new Set(files.map(({ path }) => path))
  return files
    .filter(({ path }) => !isTestFile(path))
    .flatMap((file) =>
      reachesOf(file).flatMap(({ specifier, line }) => {
        if (specifier === null || !specifier.startsWith('.')) return []
        const to = posix.join(posix.dirname(file.path), specifier)
        return known.has(to) && !isTestFile(to) ? [{ from: file.path, to, line }] : []
      }),
    )
}

/** Imports in the gateway that go against the folder order, and files in folders without a place in it. */
export function folderOrderViolations(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => path.startsWith(gatewaySources) && !isTestFile(path))
  const misplaced = sources
    .filter(({ path }) => orderOf(path) === undefined)
    .map(({ path }) => `${path} is in a folder without a row in test/boundaries/table.ts`)
  const against = edgesOf(sources).flatMap(({ from, to, line }) => {
    const [fromOrder, toOrder] = [orderOf(from), orderOf(to)]
    if (fromOrder === undefined || toOrder === undefined || fromOrder <= toOrder) return []
    return [`${from}:${line} imports ${to}: ${topOf(from)} may import only what is to its right`]
  })
  return [...misplaced, ...against]
}

/** Groups of files that import each other, directly or through others. */
export function fileCycles(files: readonly SourceFile[]): string[][] {
  return cyclesIn(edgesOf(files))
}

/** Groups of top-level folders of one package that import each other. A file outside the folders counts as a folder. */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const between = edgesOf(files).map(({ from, to }) => ({
    from: folderOf(from),
    to: folderOf(to),
  }))
  return cyclesIn(between.filter(({ from, to }) => from !== to))
}

/** `packages/<name>/src/<folder>`. */
function folderOf(path: string): string {
  return path.split('/').slice(0, 4).join('/')
}

function topOf(path: string): string {
  const [top = ''] = path.slice(gatewaySources.length).split('/')
  return top
}

/** The position in the folder order; `index.ts` is the package's entry and comes first. */
function orderOf(path: string): number | undefined {
  const top = topOf(path)
  if (top === 'index.ts') return -1
  const at = gatewayFolders.indexOf(top.replace(/\.ts$/, ''))
  return at < 0 ? undefined : at
}

/** The strongly connected components with more than one member, found with Tarjan's algorithm. */
function cyclesIn(edges: readonly { readonly from: string; readonly to: string }[]): string[][] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  const found: string[][] = []
  const indexes = new Map<string, number>()
  const stack: string[] = []
  const visit = (node: string): number => {
    const index = indexes.size
    indexes.set(node, index)
    let low = index
    stack.push(node)
    for (const to of targets.get(node) ?? []) {
      if (!indexes.has(to)) low = Math.min(low, visit(to))
      else if (stack.includes(to)) low = Math.min(low, indexes.get(to) ?? low)
    }
    if (low !== index) return low
    const component = stack.splice(stack.indexOf(node))
    if (component.length > 1) found.push(component.sort())
    return low
  }
  for (const node of targets.keys()) if (!indexes.has(node)) visit(node)
  return found.sort()
}
