// Text that a person or an agent sees and that code contains instead of importing it from a text/ folder.
import { parseSync } from 'oxc-parser'
import type { SourceFile } from '../workspace.ts'
import { lineAt } from './reaches.ts'

/** Attributes that are read or shown. */
const shownAttributes = new Set([
  'aria-label',
  'title',
  'placeholder',
  'label',
  'description',
  'alt',
  'nothingFoundMessage',
])

type Node = { readonly type: string; readonly start: number } & Record<string, unknown>

/** A line for each literal text in the markup of a component. Marks without a letter, such as ⚠, are no text. */
export function literalTextIn({ path, text }: SourceFile): string[] {
  if (!path.endsWith('.tsx') || path.includes('/src/text/')) return []
  const found: string[] = []
  const report = (start: number, literal: string) => {
    if (/\p{L}/u.test(literal)) found.push(`${path}:${lineAt(text, start)} contains the text "${literal.trim()}"`)
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (!isNode(value)) return
    if (value.type === 'JSXText') report(value.start, String(value.value))
    if (value.type === 'JSXAttribute') {
      const name = (value.name as { name: unknown }).name
      if (typeof name === 'string' && shownAttributes.has(name)) literalsIn(value.value, report)
    }
    if (value.type === 'JSXElement' || value.type === 'JSXFragment') {
      for (const child of value.children as Node[]) {
        if (child.type === 'JSXExpressionContainer') literalsIn(child.expression, report)
      }
    }
    for (const part of Object.values(value)) visit(part)
  }
  visit(parseSync(path, text).program)
  return [...new Set(found)]
}

/** Literals that an expression shows: directly, by a choice between two, or in a template. Arguments of calls are not shown. */
function literalsIn(value: unknown, report: (start: number, literal: string) => void): void {
  if (!isNode(value)) return
  if (value.type === 'Literal' && typeof value.value === 'string') report(value.start, value.value)
  if (value.type === 'JSXExpressionContainer') literalsIn(value.expression, report)
  if (value.type === 'ConditionalExpression') {
    literalsIn(value.consequent, report)
    literalsIn(value.alternate, report)
  }
  if (value.type === 'LogicalExpression') literalsIn(value.right, report)
  if (value.type === 'TemplateLiteral') {
    for (const quasi of value.quasis as (Node & { value: { raw: string } })[]) report(quasi.start, quasi.value.raw)
    for (const part of value.expressions as unknown[]) literalsIn(part, report)
  }
}

/** Parts of a program whose texts are not shown to people: module names, types, names of properties. */
const hiddenParts: Readonly<Record<string, readonly string[]>> = {
  ImportDeclaration: ['source'],
  ImportExpression: ['source'],
  ExportNamedDeclaration: ['source'],
  ExportAllDeclaration: ['source'],
  TSLiteralType: ['literal'],
  Property: ['key'],
}

/** Functions that take names for programs (`update`: of a digest), and errors that only programmers see. */
const forPrograms = new Set(['digestOf', 'update', 'reached', 'Error', 'TypeError', 'RangeError'])

/** Names of variables, folders, agents and topics, the format of a diff, statements for a database, and scripts for other programs: not texts. */
const notProse =
  /^packages\/(?:gateway\/src\/(?:setup\/init\/(?:machine|client-folders)|program\/standalone\/notification-scripts)|tools\/src\/(?:home|git\/run-git)|onboarding\/src\/(?:files\/agents|analysis\/topics|plan\/(?:topic-headings|diff)))\.ts$/

/** A line for each literal that is a sentence, a part of one, or a word with a capital letter. */
export function proseIn({ path, text }: SourceFile): string[] {
  if (path.includes('/text/') || /\.(?:test|suite|corpus)\.ts$/.test(path) || notProse.test(path)) return []
  const found: string[] = []
  const report = (start: number, literal: string) => {
    if (isProse(literal)) found.push(`${path}:${lineAt(text, start)} contains the text "${literal.trim()}"`)
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (!isNode(value)) return
    if (value.type === 'Literal' && typeof value.value === 'string') report(value.start, value.value)
    if (value.type === 'TemplateElement') report(value.start, (value.value as { raw: string }).raw)
    if (isForPrograms(value)) return
    const hidden = hiddenParts[value.type] ?? []
    for (const [name, part] of Object.entries(value)) if (!hidden.includes(name)) visit(part)
  }
  visit(parseSync(path, text).program)
  return [...new Set(found)]
}

function isForPrograms({ type, callee }: Node): boolean {
  if ((type !== 'CallExpression' && type !== 'NewExpression') || !isNode(callee)) return false
  const named = callee.type === 'MemberExpression' ? callee.property : callee
  return isNode(named) && forPrograms.has(String(named.name))
}

function isProse(literal: string): boolean {
  // The product's name is the same in every language; options and arguments of commands and media types are no text.
  if (literal === 'Assent' || /^--?[a-z]|^[a-z]+ \[[a-z]+\]$|^[a-z]+\/[a-z]+;/.test(literal)) return false
  return (/\p{L}{2}/u.test(literal) && /\s/.test(literal)) || /^\p{Lu}\p{Ll}+[.?!:…]?$/u.test(literal)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
