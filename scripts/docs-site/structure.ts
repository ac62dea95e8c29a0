// The four parts of the docs site, with their pages in reading order. The sidebar and llms.txt are made from it.

export interface SiteGroup {
  readonly title: string
  /** Paths under docs/, without `.md`. */
  readonly pages: readonly string[]
}

export interface SitePart {
  readonly title: string
  readonly folder: string
  readonly groups: readonly SiteGroup[]
}

export const siteParts: readonly SitePart[] = [
  {
    title: 'Start',
    folder: 'start',
    groups: [
      { title: 'Start', pages: ['first-minute', 'first-policy', 'first-server', 'gateway'] },
      {
        title: 'Your client',
        pages: [
          'clients/index',
          'clients/vscode',
          'clients/claude-code',
          'clients/claude-desktop',
          'clients/cursor',
          'clients/codex',
          'clients/gemini-cli',
          'clients/goose',
          'clients/zed',
          'clients/opencode',
        ],
      },
    ],
  },
  {
    title: 'Guides',
    folder: 'guides',
    groups: [
      { title: 'With your agent', pages: ['conductor', 'onboarding', 'inbox', 'remote', 'troubleshooting', 'faq'] },
      { title: 'Approvals', pages: ['approvals', 'two-person-approval', 'messages', 'record-of-calls'] },
      {
        title: 'Operation',
        pages: ['gateway', 'self-hosting', 'replicas', 'upgrading', 'backup', 'audit-log', 'retention', 'monitoring'],
      },
      {
        title: 'Your own server',
        pages: [
          'how-your-handler-runs',
          'testing-tools',
          'frameworks',
          'secrets',
          'sdk-in-production',
          'workflow-engines',
        ],
      },
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    groups: [
      {
        title: 'Reference',
        pages: [
          'features',
          'settings',
          'commands',
          'tools',
          'sdk',
          'api',
          'error-codes',
          'outcomes',
          'metrics',
          'glossary',
        ],
      },
    ],
  },
  {
    title: 'Background',
    folder: 'background',
    groups: [
      { title: 'Background', pages: ['concepts', 'architecture', 'trust', 'guarantees', 'comparison'] },
      {
        title: 'Evidence',
        pages: ['figures', 'reliability', 'scale', 'relay', 'obligations', '../behaviour', '../decisions/README'],
      },
    ],
  },
]

/** Paths under docs/ that are not pages of the site: they are for contributors, who read them in the repository. */
export const notOnSite: readonly string[] = ['good-first-issues.md', 'release.md']
