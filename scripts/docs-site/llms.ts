// llms.txt: a list of the pages for agents, each with its first sentence. https://llmstxt.org
import { pagesOf } from './pages.ts'
import { siteParts } from './structure.ts'

const intro = `# Assent

> A human-in-the-loop layer for the Model Context Protocol (MCP): questions and approvals reach the right person, and only what was approved runs.

Every page is also available as Markdown, at its address with \`.md\`. Set it up for a coding agent with \`npx assent init\`, and check it with \`npx assent doctor\`.`

const machineReadable = `## Machine-readable

- [JSON Schema of assent.yaml](/assent.schema.json): Every setting with its type, default and description.
- [OpenAPI document of the inbox](/openapi.json): The API that the web inbox uses.`

export function llmsText(): string {
  const parts = siteParts.map((part) => {
    const pages = pagesOf(part).flatMap((group) => group.pages)
    return [
      `## ${part.title}`,
      '',
      ...pages.map(({ path, title, summary }) => `- [${title}](/${path}): ${summary}`),
    ].join('\n')
  })
  return `${[intro, ...parts, machineReadable].join('\n\n')}\n`
}
