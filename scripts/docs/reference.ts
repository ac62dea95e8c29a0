// Generates the SDK reference from the source: every public name with its declaration and the comment above it.
//
// The public names are those in the entry files, in their groups, and what an author needs of `@assent/core` to use them.
// Declarations are copied from the source, without the bodies of functions and classes.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'

interface Entry {
  readonly name: string
  readonly path: string
}

const entries: readonly Entry[] = [
  { name: '@assent/sdk', path: 'packages/sdk/src/index.ts' },
  { name: '@assent/sdk/http', path: 'packages/sdk/src/http.ts' },
  { name: '@assent/sdk/terminal', path: 'packages/sdk/src/terminal.ts' },
  { name: '@assent/sdk/testing', path: 'packages/sdk/src/testing.ts' },
]

const core = { name: '@assent/core', path: 'packages/core/src/index.ts' } as const

/** Not exported by the SDK: the functions behind `field`, their settings, and keys. */
const ofCore: readonly string[] = [
  ...['text', 'number', 'boolean', 'choice', 'choices', 'list', 'optional'],
  ...['ChoiceOptions', 'TextFieldSettings', 'NumberFieldSettings', 'ChoicesFieldSettings', 'ListFieldSettings'],
  ...['Option', 'TextFormat', 'SealKey', 'createKeyRing'],
]

export function sdkReference(): string {
  const parts = entries.flatMap(({ name, path }) => [`## \`${name}\``, ...groupsOf(path)])
  const used = ofCore.map((name) => declarationIn(core.name, core.path, name, name))
  const settings = declarationIn('./form/build.ts', core.path, 'Settings', 'Settings')
  parts.push(`## What they use of \`${core.name}\``, ...used, settings)
  return `${['# SDK reference', 'Generated from the source by `npm run docs`.', ...parts].join('\n\n')}\n`
}

/** One heading per comment in the entry file, with the exports up to the next comment below it. */
function groupsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  const lines: string[] = []
  let heading = ''
  for (const node of program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.source === null) continue
    const above = comments.filter(({ end }) => end <= node.start).at(-1)
    const title = above !== undefined && text.slice(above.end, node.start).trim() === '' ? above.value.trim() : heading
    if (title !== heading && isGroup(title)) lines.push(`### ${title}`)
    heading = title
    for (const { local, exported } of node.specifiers) {
      if (local.type !== 'Identifier' || exported.type !== 'Identifier') continue
      lines.push(declarationIn(node.source.value, path, local.name, exported.name))
    }
  }
  return lines
}

/** The header comment of a file is a sentence; comments above groups are not. */
function isGroup(title: string): boolean {
  return !title.endsWith('.')
}

function declarationIn(from: string, entry: string, name: string, as: string): string {
  const path = from === core.name ? declaredInCore(name) : posix.join(posix.dirname(entry), from)
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  for (const node of program.body) {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node
    if (declaration === null || nameOf(declaration) !== name) continue
    const above = comments.filter(({ end }) => end <= node.start).at(-1)
    const isAbove = above?.type === 'Block' && text.slice(above.end, node.start).trim() === ''
    const words = isAbove ? `${plain(above.value)}\n\n` : ''
    return `#### \`${as}\`\n\n${words}\`\`\`ts\n${withoutBody(text, node.start, declaration)}\n\`\`\``
  }
  throw new Error(`${path} does not declare ${name}, which ${entry} exports`)
}

/** The file that declares what core exports by this name. */
function declaredInCore(name: string): string {
  for (const node of parseSync(core.path, readFileSync(core.path, 'utf8')).program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.source === null) continue
    const isHere = node.specifiers.some(({ exported }) => exported.type === 'Identifier' && exported.name === name)
    if (isHere) return posix.join(posix.dirname(core.path), node.source.value)
  }
  throw new Error(`${core.path} does not export ${name}`)
}

type Declaration = { readonly type: string; readonly end: number; readonly id?: unknown; readonly body?: unknown }

function nameOf(declaration: object): string | undefined {
  const { id, declarations } = declaration as { id?: { name?: string }; declarations?: { id: { name?: string } }[] }
  return id?.name ?? declarations?.[0]?.id.name
}

function withoutBody(text: string, start: number, declaration: Declaration): string {
  const body = declaration.body as { readonly type?: string; readonly start?: number } | undefined
  const hasCode = body?.type === 'BlockStatement' || body?.type === 'ClassBody'
  if (declaration.type === 'ClassDeclaration' && body?.type === 'ClassBody')
    return classOutline(text, start, declaration)
  const end = hasCode && body?.start !== undefined ? body.start : declaration.end
  const shown = text.slice(start, end).trimEnd()
  // A constant with a type is described by it; one without is described by its value.
  return /^export const \w+:/.test(shown) ? shown.replace(/ =(?!>)[\s\S]*$/, '') : shown
}

/** Its public members, each with the comment above it. */
function classOutline(text: string, start: number, declaration: Declaration): string {
  const { body } = declaration.body as { body: ClassMember[] }
  const head = text.slice(start, (declaration.body as { start: number }).start)
  const { comments } = parseSync('class.ts', text)
  const members = body.filter(isPublic).map((member) => {
    const above = comments.filter(({ end }) => end <= member.start).at(-1)
    const words =
      above?.type === 'Block' && text.slice(above.end, member.start).trim() === '' ? `  /*${above.value}*/\n` : ''
    const code = member.value?.body?.start
    return `${words}  ${text.slice(member.start, code ?? member.end).trimEnd()}`
  })
  return `${head}{\n${members.join('\n')}\n}`
}

interface ClassMember {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly kind?: string
  readonly key?: { readonly type: string }
  readonly value?: { readonly body?: { readonly start: number } } | null
}

function isPublic({ type, key, kind }: ClassMember): boolean {
  const isMember = type === 'MethodDefinition' || type === 'PropertyDefinition'
  return isMember && key?.type !== 'PrivateIdentifier' && kind !== 'constructor'
}

function plain(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd())
    .join('\n')
    .replace(/^\*/, '')
    .trim()
}
