// Patches a Conductor that somebody else wrote, such as the one of Copilot Orchestra: adds our tools to its list,
// replaces its stops with calls of our tools, and appends a block that explains them.
//
// Only the front matter is parsed. A stop is recognized by its words; a stop with other words stays, and the block says
// that it is a call of a tool.

import { isScalar, isSeq, parseDocument, type YAMLSeq } from 'yaml'
import { agentSentences, agentStops } from '../text/agent-stops.ts'
import { editText } from '../text/files.ts'
import { putBlock } from './block.ts'
import { nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineAt, lineEndOf, type Splice } from './splice.ts'

/** VS Code's name for all tools of our server. */
const toolsName = 'assent/*'
const firstTool = 'request_plan_approval'

export function putIntoAgent(text: string, block: string): Tried {
  const front = frontOf(text)
  if ('because' in front) return unclear(front.because)
  const listed = front.tools === undefined ? undefined : toolSplice(text, front.tools, front.offset)
  if (listed === 'unclear') return unclear(editText.agentTools)
  const isOurs = text.includes(firstTool)
  const added = isOurs ? nothing : putBlock(text, block)
  if (added.kind === 'theirs' || added.kind === 'unclear') return added
  const splices = [
    ...(listed === undefined ? [] : [listed]),
    ...(isOurs ? [] : stopSplices(text, front.end)),
    ...(added.kind === 'change' ? added.splices : []),
  ]
  if (splices.length === 0) return nothing
  return {
    kind: 'change',
    splices,
    remembered: { pieces: splices.map(({ out, in: written }) => ({ out, in: written })) },
  }
}

/** Reverses each splice in a text that was edited since; our words must still be there, once. */
export function takeFromAgent(text: string, { pieces = [] }: Remembered): Tried {
  const found = pieces.map((piece) => ({ piece, at: text.indexOf(piece.in) }))
  if (found.every(({ at }) => at === -1)) return nothing
  if (found.some(({ piece, at }) => at === -1 || text.indexOf(piece.in, at + 1) !== -1)) {
    return theirs(editText.agentChanged)
  }
  const splices = found.map(({ piece, at }): Splice => ({ at, out: piece.in, in: piece.out }))
  splices.sort((one, other) => one.at - other.at)
  return { kind: 'change', splices, remembered: {} }
}

/** Whether the agent's instructions name our tools, and it may call them. An agent without a list of tools may call every tool. */
export function usesOurTools(text: string): boolean {
  const body = text.replace('\uFEFF', '')
  const front = frontOf(body)
  if ('because' in front || !body.includes(firstTool)) return false
  return front.tools === undefined || toolSplice(body, front.tools, front.offset) === undefined
}

/** The name by which the client knows the agent; undefined if the file does not give one. */
export function agentName(text: string): string | undefined {
  const front = frontOf(text.replace('\uFEFF', ''))
  return 'because' in front ? undefined : front.name
}

interface Front {
  /** Where the front matter begins, and where the body does. */
  readonly offset: number
  readonly end: number
  readonly tools: unknown
  readonly name: string | undefined
}

function frontOf(text: string): Front | { readonly because: string } {
  const found = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (found === null) return { offset: 0, end: 0, tools: undefined, name: undefined }
  const yaml = found[1] ?? ''
  const offset = text.indexOf('\n') + 1
  const document = parseDocument(yaml, { prettyErrors: false })
  const [first] = document.errors
  if (first !== undefined) return { because: editText.invalid('YAML', lineAt(yaml, first.pos[0]) + 1) }
  const name: unknown = document.get('name')
  return {
    offset,
    end: found[0].length,
    tools: document.get('tools', true),
    name: typeof name === 'string' ? name : undefined,
  }
}

function toolSplice(text: string, tools: unknown, offset: number): Splice | undefined | 'unclear' {
  if (isSeq(tools)) return seqSplice(text, tools, offset)
  // Written as `tools: read, search`.
  if (!isScalar(tools) || typeof tools.value !== 'string' || tools.type !== 'PLAIN' || !tools.range) return 'unclear'
  if (tools.value.split(',').some((one) => isOurName(one.trim()))) return undefined
  return { at: offset + tools.range[1], out: '', in: `, ${toolsName}` }
}

function seqSplice(text: string, tools: YAMLSeq, offset: number): Splice | undefined | 'unclear' {
  const values = tools.items.map((item) => (isScalar(item) ? item.value : undefined))
  if (values.some((value) => typeof value === 'string' && isOurName(value))) return undefined
  const last = tools.items.at(-1)
  if (last === undefined) {
    const at = offset + (tools.range?.[0] ?? 0) + 1
    return tools.flow === true && text[at - 1] === '[' ? { at, out: '', in: quoted("'") } : 'unclear'
  }
  if (!isScalar(last) || !last.range) return 'unclear'
  const [from, to] = [offset + last.range[0], offset + last.range[1]]
  const written = quoted(text[from] === '"' ? '"' : "'")
  if (tools.flow === true) return { at: to, out: '', in: `, ${written}` }
  const line = text.slice(text.lastIndexOf('\n', from) + 1, from)
  return /^\s*-\s+$/.test(line) ? { at: to, out: '', in: `${lineEndOf(text)}${line}${written}` } : 'unclear'
}

function quoted(quote: '"' | "'"): string {
  return `${quote}${toolsName}${quote}`
}

function isOurName(name: string): boolean {
  return name === 'assent' || name.startsWith('assent/') || name === '*'
}

function stopSplices(text: string, from: number): Splice[] {
  const marked = [...text.slice(from).matchAll(/(\*\*)?MANDATORY STOP(\*\*)?[.:]?[ \t]*/gi)].flatMap((found) => {
    const at = from + found.index
    const out = text.slice(at, endOfItem(text, at))
    const kind = kindOf(out)
    return kind === undefined ? [] : [{ at, out, in: `${found[0].trimEnd()} ${agentStops[kind]}` }]
  })
  const known = agentSentences.flatMap(([theirs, ours]) => {
    const at = text.indexOf(theirs, from)
    return at === -1 ? [] : [{ at, out: theirs, in: ours }]
  })
  const sorted = [...marked, ...known].sort((one, other) => one.at - other.at)
  // A sentence inside a stop is replaced together with it.
  return sorted.filter((one, index) => {
    const before = sorted[index - 1]
    return before === undefined || one.at >= before.at + before.out.length
  })
}

/** The end of a list item or paragraph: its line, and the following lines that are indented more. */
function endOfItem(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at) + 1
  const indent = indentOf(text.slice(start))
  let end = endOfLine(text, at)
  while (end < text.length) {
    const next = text.indexOf('\n', end) + 1
    if (next === 0) break
    const line = text.slice(next, endOfLine(text, next))
    if (line.trim() === '' || indentOf(line) <= indent) break
    end = next + line.length
  }
  return end
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function kindOf(stop: string): keyof typeof agentStops | undefined {
  if (/\bcommit/i.test(stop)) return 'phase'
  if (/\bcomplet|\bfinal/i.test(stop)) return 'end'
  return /\bplan\b/i.test(stop) ? 'plan' : undefined
}
