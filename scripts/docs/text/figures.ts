// The text of the generated page of figures.

export const figuresText = {
  intro: `# Figures

Every proof and bench is a command that you can run. This page shows the last recorded full run of each one, even if it missed its goal, and lists
those without a recorded run. It is generated (\`npm run docs\`) from the runs in \`docs/figures/runs.jsonl\`. With \`--record\`, a command adds its run
there, if every change of the code is committed. A commit that the history does not contain was combined with later ones before it was merged. Times
depend on the machine, so most goals are ratios that are measured within one run. [Reliability](reliability.md) explains the faults that the proofs
cause, and shows figures of earlier runs.`,
  benches: '## Benches',
  plot: '![A bar for each number that has a goal. Bars that pass the line have missed it.](../figures/goals.svg)',
  proofs: '## Proofs',
  notRecorded: {
    bench: '### Benches without a recorded run',
    prove: '### Proofs without a recorded run',
  },
  columns: ['command', 'purpose'],
  runIt: (command: string) => `Run it: \`${command}\`.`,
  earlier: 'Earlier runs:',
  reached: '**Reached.**',
  missed: '**Missed.**',
  commit: (id: string) => `commit \`${id}\``,
  took: (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`),
}
