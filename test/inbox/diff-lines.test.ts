import { expect, test } from 'vitest'
import { diffLines } from '../../packages/inbox-web/src/ui/diff-lines.ts'

const kindsOf = (...lines: string[]) => diffLines(lines.join('\n')).map(({ kind }) => kind)

test('[CARD-13] a removed or added line is never drawn as the name of a file', () => {
  expect(kindsOf('--- a.sql', '+++ b.sql', '@@ -1,3 +1,2 @@', '--- drop it', ' keep', '-old', '+++ more')).toEqual([
    'file',
    'file',
    'place',
    'removed',
    undefined,
    'removed',
    'added',
  ])
  // Even with a line that looks like the next header.
  const hidden = ['--- a', '+++ b', '@@ -1,2 +1,2 @@', '--- x', '+++ y', '-@@ -1 +1 @@', '+z']
  expect(kindsOf(...hidden).slice(3)).toEqual(['removed', 'added', 'removed', 'added'])
  expect(kindsOf('-old', '+new', '--- x', '+++ y')).toEqual(['removed', 'added', 'removed', 'added'])
})

test('[CARD-13] each file of a diff has its names, and each hunk its place', () => {
  const file = ['diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b', '\\ No newline at end of file']
  const kinds = ['file', 'file', 'file', 'place', 'removed', 'added', undefined]
  expect(kindsOf(...file, ...file)).toEqual([...kinds, ...kinds])
  expect(kindsOf('@@ -1,2 +1 @@', ' a', '-b', '@@ -9 +8 @@', '-c', '+d')).toEqual([
    'place',
    undefined,
    'removed',
    'place',
    'removed',
    'added',
  ])
})
