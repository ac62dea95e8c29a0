// What a client's model reads about the tool before any tool is called. Imports nothing, so that a server can send it at once.

export const onboardingInstructions =
  "When the user wants the repository's instruction files (AGENTS.md, CLAUDE.md, rules of other agents) put in order: " +
  'onboarding, one action at a time. Its results have their own statuses.'
