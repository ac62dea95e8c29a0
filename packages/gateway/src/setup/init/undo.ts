// Undoes what `assent init` wrote, and nothing else.
//
// A file that was not edited since is restored byte for byte. In an edited file only our part is removed; if that part
// itself was edited, it stays and is reported.

import { take } from './edit/edit.ts'
import { readJsonc } from './edit/jsonc.ts'
import { hasComment } from './edit/jsonc-text.ts'
import { inverted, spliced } from './edit/splice.ts'
import { isSame } from './edit/values.ts'
import { readText, removeFile, textDigest, writeWhole } from './files.ts'
import type { Machine } from './machine.ts'
import { type InitRecord, isSameReader, type RecordedChange, type RecordReader } from './record.ts'
import { type ConfigTarget, targetOf } from './scope.ts'
import { applyText } from './text/files.ts'

export type Undoing = {
  readonly written: RecordedChange
  /** The target, if the file is reached through a symbolic link. */
  readonly realPath?: string
} & (
  | { readonly kind: 'change'; readonly before: string; readonly after: string }
  | { readonly kind: 'remove'; readonly before: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'shared'; readonly staying: readonly RecordReader[] }
  | { readonly kind: 'left'; readonly because: string }
)

/** @param removed the readers to undo; a change that another reader still needs stays */
export function planUndo(record: InitRecord, removed: readonly RecordReader[], machine: Machine): Undoing[] {
  return record.read().flatMap((written): Undoing[] => {
    const staying = written.readers.filter((one) => !removed.some((other) => isSameReader(one, other)))
    if (staying.length === written.readers.length) return []
    return [staying.length > 0 ? { written, kind: 'shared', staying } : planOne(written, machine)]
  })
}

/** In reverse order, so that a folder that init created is empty before it is removed. */
export function applyUndo(plan: readonly Undoing[], record: InitRecord, machine: Machine): Undoing[] {
  return plan.toReversed().map((one): Undoing => {
    if (one.kind === 'left') return one
    const { written } = one
    const { file } = written
    try {
      if (one.kind === 'shared') {
        record.write(record.read().map((other) => (other.file === file ? { ...other, readers: one.staying } : other)))
        return one
      }
      if (one.kind !== 'gone') {
        const target = targetFor(written, machine)
        if (!target.ok) return { written, kind: 'left', because: target.because }
        const now = readText(file)
        if (now.kind !== 'text' || now.digest !== textDigest(one.before)) {
          return { written, kind: 'left', because: applyText.changedBeforeUndo }
        }
        if (one.kind === 'remove') removeFile(file, written.folders)
        else writeWhole(file, one.after)
      }
      const rest = record.read().filter((other) => other.file !== file)
      record.write(rest)
      if (written.before !== null && !rest.some(({ before }) => before === written.before))
        record.deleteBackup(written.before)
      return one
    } catch (error) {
      return { written, kind: 'left', because: error instanceof Error ? error.message : String(error) }
    }
  })
}

/** The same rule as for writing: a file that is now behind a link out of its scope is not changed. */
function targetFor({ file, readers }: RecordedChange, machine: Machine): ConfigTarget {
  const roots = readers.map(({ root }) => root)
  const targets = roots.map((root) => targetOf(file, root, machine))
  return targets.find(({ ok }) => !ok) ?? targets[0] ?? { ok: false, because: applyText.noClient }
}

function planOne(written: RecordedChange, machine: Machine): Undoing {
  const target = targetFor(written, machine)
  if (!target.ok) return { written, kind: 'left', because: target.because }
  const undoing = undoingOf(written)
  return target.isLink ? { ...undoing, realPath: target.path } : undoing
}

function undoingOf(written: RecordedChange): Undoing {
  const read = readText(written.file)
  if (read.kind === 'none') return { written, kind: 'gone' }
  if (read.kind === 'unclear') return { written, kind: 'left', because: read.because }
  const { text, digest } = read
  if (digest === written.after) {
    if (written.before === null) return { written, kind: 'remove', before: text }
    return { written, kind: 'change', before: text, after: spliced(text, inverted(written.splices)) }
  }
  if (digest === written.before) return { written, kind: 'gone' }
  const tried = take(text, written.change, written.remembered)
  if (tried.kind === 'nothing') return { written, kind: 'gone' }
  if (tried.kind !== 'change') return { written, kind: 'left', because: tried.because }
  const after = spliced(text, tried.splices)
  if (written.before === null && holdsNothing(after, written)) return { written, kind: 'remove', before: text }
  return { written, kind: 'change', before: text, after }
}

/** Whether a file that init created contains nothing added by others. */
function holdsNothing(text: string, { change }: RecordedChange): boolean {
  const rest = text.replace('\uFEFF', '').trim()
  if (rest === '') return true
  if (change.kind !== 'entry' || change.form !== 'jsonc') return false
  const read = readJsonc(rest)
  if ('because' in read || hasComment(rest, { ...read.root, offset: 0, length: rest.length })) return false
  return isSame(read.value, {}) || isSame(read.value, change.fresh ?? {})
}
