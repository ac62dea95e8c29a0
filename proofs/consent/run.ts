// Proof: exactly what a person decided happens, tested with the packed and installed program.
//
// Each section starts the program as its users do and attacks one guarantee. Then each planted bug is put into a copy of
// the installation, and the section that owns the guarantee must find it.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { commentsSection } from './comments.ts'
import { deadlinesSection } from './deadlines.ts'
import { editsSection } from './edits.ts'
import { type Installed, install, withBug } from './installed.ts'
import { instantSection } from './instant.ts'
import { loopbackSection } from './loopback.ts'
import { repositoriesSection } from './repositories.ts'
import { roundsSection } from './rounds.ts'
import type { Section, SectionResult } from './section.ts'

export const sections: readonly Section[] = [
  roundsSection,
  deadlinesSection,
  instantSection,
  repositoriesSection,
  editsSection,
  commentsSection,
  loopbackSection,
]
const quickShare = 1 / 250
const bugShare = 1 / 500
const faultsShown = 10

export const run: Measurement = async ({ quick, seed }) => {
  const only = process.env.ASSENT_PROOF_SECTION
  const chosen = sections.filter(({ name }) => only === undefined || name.includes(only))
  const program = install()
  try {
    let faults = 0
    const parts: string[] = []
    for (const section of chosen) {
      const result = await measured(section, program, quick ? quickShare : 1, seed)
      faults += result.faults.length
      parts.push(`${result.tried.toLocaleString('en')} ${section.name}`)
    }
    // In the quick form only the cheapest bug, to show that bugs are found.
    const withBugs = quick ? chosen.filter((section) => section === instantSection) : chosen
    const missed = await bugsMissed(withBugs, program, seed)
    const bugs = withBugs.reduce((sum, section) => sum + section.bugs.length, 0)
    return {
      reached: faults === 0 && missed.length === 0,
      figure: `consent: ${faults} faults in ${parts.join(', ')}; ${bugs - missed.length}/${bugs} planted bugs found`,
    }
  } finally {
    program.close()
  }
}

async function measured(section: Section, program: Installed, share: number, seed: number): Promise<SectionResult> {
  const startedAt = performance.now()
  const result = await runIn(section, program, 'sound', share, seed)
  const counts = Object.entries(result.counts ?? {}).map(([name, count]) => `${name} ${count}`)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(
    `consent: ${section.name}: ${result.tried} tried, ${result.faults.length} faults (${[...counts, `${seconds} s`].join(', ')})`,
  )
  for (const fault of result.faults.slice(0, faultsShown)) console.log(`consent:   ${fault}`)
  return result
}

async function bugsMissed(chosen: readonly Section[], program: Installed, seed: number): Promise<string[]> {
  const missed: string[] = []
  for (const section of chosen) {
    for (const bug of section.bugs) {
      const broken = withBug(program, bug)
      try {
        const { faults } = await runIn(section, broken, bug.name.replaceAll(/\W+/g, '-'), bugShare, seed)
        console.log(`consent: planted bug "${bug.name}": ${faults.length} faults in "${section.name}"`)
        if (faults.length === 0) missed.push(bug.name)
      } finally {
        broken.close()
      }
    }
  }
  return missed
}

async function runIn(section: Section, program: Installed, name: string, share: number, seed: number) {
  const folder = join(program.folder, '..', 'sections', section.name.replaceAll(/\W+/g, '-'), name)
  mkdirSync(folder, { recursive: true })
  return section.run({ program, folder, random: seededRandom(seed), share })
}
