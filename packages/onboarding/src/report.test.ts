import { expect, test } from 'vitest'
import type { NamedFinding } from './analysis/finding.ts'
import { findingsForPerson } from './report.ts'
import { editText } from './text/plan.ts'

const finding = (kind: NamedFinding['kind'], id: string, message: string, line: number): NamedFinding => ({
  ...{ kind, id, message, weight: 'problem' },
  places: [{ path: 'CLAUDE.md', line }],
})

test('[ONBOARD-25] for the person who approves, findings have lines in words, and only contradictions have an id to decide by', () => {
  const findings = [
    finding('contradiction', 'C1', 'CLAUDE.md:5 chooses npm.', 5),
    finding('dead-reference', 'R1', 'CLAUDE.md names docs/style.md, which is not in the repository.', 16),
    finding('read-differently', 'A1', 'The repository gives its agents different instructions.', 1),
  ]
  expect(findingsForPerson(findings)).toBe(
    [
      'Found:',
      '  C1: CLAUDE.md:5 chooses npm.',
      '  CLAUDE.md names docs/style.md, which is not in the repository (CLAUDE.md, line 16).',
      '  The repository gives its agents different instructions.',
    ].join('\n'),
  )
  expect(editText.adds(['CLAUDE.md', '.cursorrules'])).toBe(
    'adds the instructions that were only in one of CLAUDE.md, .cursorrules',
  )
})
