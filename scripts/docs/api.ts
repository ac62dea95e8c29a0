// Generates the reference of the inbox API from its OpenAPI document.
import { openApi } from '../../packages/gateway/src/inbox/openapi.ts'
import { table } from './table.ts'
import { referenceText as text } from './text/reference.ts'

export function apiPage(): string {
  const rows = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `\`${method.toUpperCase()} ${path}\``,
      (operation as { summary?: string }).summary ?? '',
    ]),
  )
  return `${[text.api.intro, table([[...text.api.columns], ...rows]), text.api.after].join('\n\n')}\n`
}
