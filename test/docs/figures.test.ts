// The page of figures, from recorded runs.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { namesOf, pagesFrom, purposeOf } from '../../scripts/docs/figures.ts'
import { mergedRuns } from '../../scripts/figures/merged-runs.ts'
import { shareOfGoal, valueText } from '../../scripts/figures/plot.ts'
import { recordedCommit } from '../../scripts/figures/recorded-commit.ts'
import type { RecordedRun } from '../../scripts/figures/runs.ts'
import { isMet } from '../../scripts/measurement.ts'
import { closeAfterTest } from '../../test-kit/close-after-test.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const run: RecordedRun = {
  ...({ kind: 'bench', name: 'start', date: '2026-11-01', commit: 'abc1234', machine: '2 cores' } as const),
  ...{ seconds: 124, reached: true, figure: 'start: 300 ms to initialize; at most 400 ms' },
  goals: [{ what: 'start', value: 300, unit: 'ms', most: 400 }],
}
const slow = { ...run, reached: false, goals: [{ what: 'start', value: 653, unit: 'ms', most: 400 }] }

function pageOf(runs: readonly RecordedRun[]) {
  const [page, plot] = pagesFrom(runs).map(({ text }) => text)
  const [, row] = page?.split('npm run bench -- start`.') ?? []
  return { row: row?.split('###')[0], page, plot }
}

test('[SITE-14] the page of figures shows the last full run of each command, and what missed its goal as missed', () => {
  expect(pageOf([slow, run]).row).toContain('**Reached.** 300 ms to initialize')
  const { row, plot, page } = pageOf([run, slow])
  expect(row).toContain('**Missed.** start: 653 ms (at most 400). All: 300 ms to initialize')
  expect(row).toContain('2026-11-01, commit `abc1234`, 2 min, 2 cores')
  expect(row).toContain('- 2026-11-01, commit `abc1234`: **Reached.** 300 ms (at most 400)')
  expect(plot).toContain('653 ms (at most 400), missed')
  const [, notRecorded = ''] = page?.split('### Benches without a recorded run') ?? []
  expect(notRecorded).toContain('| `npm run bench -- store` ')
  expect(notRecorded).not.toContain('npm run bench -- start`')
  for (const kind of ['prove', 'bench'] as const)
    for (const name of namesOf(kind)) {
      expect(page).toContain(`npm run ${kind} -- ${name}`)
      expect(purposeOf(kind, name)).toMatch(/^\S.{20,}\.$/)
    }
})

test('[SITE-14] a number that could not be measured has missed its goal', () => {
  const goal = { what: 'share', value: 0.5, unit: '', least: 0.7 }
  expect([shareOfGoal(goal), valueText(goal)]).toEqual([1.4, '0.5 (at least 0.7)'])
  const none = { what: 'refused', unit: '', most: 0 }
  expect([0, 1].map((value) => shareOfGoal({ ...none, value }))).toEqual([0, Number.POSITIVE_INFINITY])
  expect([goal, { ...goal, value: 0.7 }, { ...goal, value: Number.NaN }].map(isMet)).toEqual([false, true, false])
})

test('[SITE-14] the quick form is never recorded', () => {
  const words = ['--conditions=assent-source', 'scripts/measure.ts', 'benches', 'start', '--quick', '--record']
  expect(spawnSync(process.execPath, words).status).toBe(2)
})

test('[SITE-15] a run is recorded with the commit that was measured, and refused if the code has uncommitted changes', () => {
  const { folder, commit } = aCheckout()
  expect(recordedCommit(folder)).toEqual({ ok: true, commit })
  writeFileSync(join(folder, 'docs/figures.md'), 'changed\n')
  expect(recordedCommit(join(folder, 'docs'))).toEqual({ ok: true, commit })

  writeFileSync(join(folder, 'code.ts'), 'changed\n')
  for (const place of [folder, join(folder, 'docs')])
    expect(recordedCommit(place)).toEqual({ ok: false, problem: expect.stringContaining('M code.ts') })
  const [script, start] = [resolve('scripts/measure.ts'), ['benches', 'start', '--record']]
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=assent-source', script, ...start], {
    ...{ cwd: folder, encoding: 'utf8' },
  })
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('Commit these changes first') })
})

test('[SITE-15] recorded runs of several files are merged: each once, the oldest first', () => {
  const line = (changed: Partial<RecordedRun>) => `${JSON.stringify({ ...run, ...changed })}\n`
  const [first, second, third] = [line({}), line({ date: '2026-11-02' }), line({ date: '2026-11-03', name: 'store' })]
  expect(mergedRuns([first, third, second + first])).toBe(first + second + third)
  expect(mergedRuns(['', ''])).toBe('')
})

/** A repository with one commit, of a code file and a page. */
function aCheckout(): { readonly folder: string; readonly commit: string } {
  const folder = mkdtempSync(join(tmpdir(), 'assent-record-'))
  closeAfterTest(() => removeFolder(folder))
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim()
  mkdirSync(join(folder, 'docs'))
  for (const file of ['code.ts', 'docs/figures.md']) writeFileSync(join(folder, file), 'first\n')
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '-m', 'first')
  return { folder, commit: git('rev-parse', '--short=8', 'HEAD') }
}
