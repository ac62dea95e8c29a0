// Merges files of recorded runs into docs/figures/runs.jsonl: `node scripts/figures/merge-runs.ts <file> …`. The nightly workflow
// uses it to keep the runs of the nights before.
import { readFileSync, writeFileSync } from 'node:fs'
import { mergedRuns } from './merged-runs.ts'

const target = new URL('../../docs/figures/runs.jsonl', import.meta.url)
const texts = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'))
writeFileSync(target, mergedRuns([readFileSync(target, 'utf8'), ...texts]))
