// The plan as a unified diff, exact enough for `git apply`.

import { readFile } from 'node:fs/promises'
import { createTwoFilesPatch } from 'diff'
import { placeIn } from '../disk/safe-path.ts'
import type { Edit } from './plan.ts'

const nowhere = '/dev/null'

export async function diffOf(root: string, edits: readonly Edit[]): Promise<string> {
  const parts: string[] = []
  for (const edit of edits) {
    const before = edit.before === null ? '' : await readFile(await placeIn(root, edit.path), 'utf8')
    parts.push(patchOf(edit, before))
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

/** git knows two. */
function modeOf(side: { readonly mode: number } | null): string {
  return ((side?.mode ?? 0) & 0o111) === 0 ? '100644' : '100755'
}
