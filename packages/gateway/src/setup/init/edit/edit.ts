// Applies a change to a text and undoes it, for every file format.
//
// A byte order mark stays at the front.

import { editText } from '../text/files.ts'
import { putIntoAgent, takeFromAgent } from './agent.ts'
import { putBlock, takeBlock } from './block.ts'
import { type Change, nothing, type Remembered, type Tried, theirs } from './change.ts'
import { putIntoJsonc, takeFromJsonc } from './jsonc.ts'
import { shifted } from './splice.ts'
import { putIntoToml, takeFromToml } from './toml.ts'
import { putIntoYaml, takeFromYaml } from './yaml.ts'

const byteOrderMark = '\uFEFF'

/** @param text undefined if the file does not exist */
export function put(text: string | undefined, change: Change): Tried {
  return behindMark(text ?? '', (body) => {
    if (change.kind === 'block') return putBlock(body, change.text)
    if (change.kind === 'file') return putFile(text === undefined ? undefined : body, change.text)
    if (change.kind === 'agent') return putIntoAgent(body, change.text)
    return { jsonc: putIntoJsonc, toml: putIntoToml, yaml: putIntoYaml }[change.form](body, change)
  })
}

/** Undoes a change in a text that was edited since. */
export function take(text: string, change: Change, remembered: Remembered): Tried {
  return behindMark(text, (body) => {
    if (change.kind === 'block') return takeBlock(body, change.text, remembered)
    if (change.kind === 'file') return theirs(editText.fileChanged)
    if (change.kind === 'agent') return takeFromAgent(body, remembered)
    return { jsonc: takeFromJsonc, toml: takeFromToml, yaml: takeFromYaml }[change.form](body, change, remembered)
  })
}

function putFile(text: string | undefined, ours: string): Tried {
  if (text === undefined) return { kind: 'change', splices: [{ at: 0, out: '', in: ours }], remembered: {} }
  return text.replaceAll('\r\n', '\n') === ours ? nothing : theirs(editText.otherFile)
}

function behindMark(text: string, edit: (body: string) => Tried): Tried {
  if (!text.startsWith(byteOrderMark)) return edit(text)
  const tried = edit(text.slice(1))
  return tried.kind === 'change' ? { ...tried, splices: shifted(tried.splices, 1) } : tried
}
