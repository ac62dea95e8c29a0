// The interface of the sections of the consent proof.

import type { SeededRandom } from '../../test-kit/random.ts'
import type { Installed, PlantedBug } from './installed.ts'

export interface SectionInput {
  readonly program: Installed
  /** An empty folder of the section's own. */
  readonly folder: string
  readonly random: SeededRandom
  /** 1 for the full size; the quick form runs a small part of it, and a planted bug a smaller one. */
  readonly share: number
}

export interface SectionResult {
  readonly tried: number
  /** Descriptions of broken guarantees. */
  readonly faults: readonly string[]
  /** Further counts for the report. */
  readonly counts?: Readonly<Record<string, number>>
}

export interface Section {
  readonly name: string
  run(input: SectionInput): Promise<SectionResult>
  /** Each must lead to at least one fault in this section. */
  readonly bugs: readonly PlantedBug[]
}

/** Runs the work for each item with limited concurrency. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
