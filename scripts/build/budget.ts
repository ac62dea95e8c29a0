// The most that a published package may contain, and the most that installing all of them may take.
//
// The numbers are about a quarter above the sizes when they were set. Raise one only in the commit that needs it, with the reason.

export interface Size {
  /** Of the tarball, in bytes. */
  readonly packed: number
  /** Of its files, in bytes. */
  readonly unpacked: number
}

const kb = 1_000

const budgets: Readonly<Record<string, Size>> = {
  '@assent/core': { packed: 175 * kb, unpacked: 560 * kb },
  '@assent/store': { packed: 200 * kb, unpacked: 740 * kb },
  '@assent/sdk': { packed: 160 * kb, unpacked: 560 * kb },
  '@assent/tools': { packed: 50 * kb, unpacked: 175 * kb },
  '@assent/policy': { packed: 42 * kb, unpacked: 140 * kb },
  '@assent/onboarding': { packed: 105 * kb, unpacked: 370 * kb },
  assent: { packed: 1_000 * kb, unpacked: 3_600 * kb },
}

const install = { packages: 85, bytes: 65_000 * kb }

export function sizeProblems(name: string, { packed, unpacked }: Size): string[] {
  const most = budgets[name]
  if (most === undefined) return [`${name} has no size budget in scripts/build/budget.ts`]
  const problems: string[] = []
  if (packed > most.packed) problems.push(`the tarball has ${inKb(packed)}, and its budget is ${inKb(most.packed)}`)
  if (unpacked > most.unpacked)
    problems.push(`the files have ${inKb(unpacked)}, and their budget is ${inKb(most.unpacked)}`)
  return problems
}

/** @param packages the number of packages that npm installed, ours included. */
export function installProblems(packages: number, bytes: number): string[] {
  const problems: string[] = []
  if (packages > install.packages)
    problems.push(`${packages} packages are installed; the budget is ${install.packages}`)
  if (bytes > install.bytes) problems.push(`${inKb(bytes)} are installed; the budget is ${inKb(install.bytes)}`)
  return problems
}

export function inKb(bytes: number): string {
  return `${Math.ceil(bytes / kb).toLocaleString('en')} kB`
}
