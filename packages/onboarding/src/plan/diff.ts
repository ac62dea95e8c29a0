// The plan as a unified diff, exact enough for `git apply`.

import { createTwoFilesPatch } from 'diff'
import { look, mustBe } from '../disk/look.ts'
import type { Edit } from './plan.ts'

const nowhere = '/dev/null'

/** Throws unless every file is what the plan was made from: a diff against anything else would show another change. */
export async function diffOf(root: string, edits: readonly Edit[]): Promise<string> {
  const parts: string[] = []
  for (const edit of edits) {
    const seen = await look(root, edit.path)
    mustBe(seen, edit.before, edit.path)
    parts.push(patchOf(edit, seen.is === 'file' ? seen.bytes.toString('utf8') : ''))
  }
  return parts.join('')
}

function patchOf({ path, before, after }: Edit, text: string): string {
  const from = before === null ? nowhere : `a/${path}`
  const to = after === null ? nowhere : `b/${path}`
  const patch = createTwoFilesPatch(from, to, text, after?.text ?? '', '', '', { context: 3 })
  const lines = patch.split('\n').filter((line) => !/^={10,}$/.test(line))
  const kind =
    before === null ? `new file mode ${modeOf(after)}\n` : after === null ? `deleted file mode ${modeOf(before)}\n` : ''
  return `diff --git a/${path} b/${path}\n${kind}${lines.join('\n').replace(/^(---|\+\+\+) (\S+)\t$/gm, '$1 $2')}`
}

/** The two modes that git has. */
function modeOf(side: { readonly mode: number } | null): string {
  return ((side?.mode ?? 0) & 0o111) === 0 ? '100644' : '100755'
}
