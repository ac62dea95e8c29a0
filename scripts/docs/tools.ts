// Generates the reference of the tools from what a client gets with `tools/list`.

import { registerOnboarding } from '@assent/onboarding'
import { createAssent } from '@assent/sdk'
import { assentTools } from '@assent/tools'
import { connect } from '../../test-kit/mcp/in-memory.ts'
import { table } from './table.ts'
import { referenceText as text } from './text/reference.ts'

interface Parameter {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
}

export async function toolsPage(): Promise<string> {
  const folder = process.cwd()
  const assent = createAssent({ name: 'assent' })
  const onboarding = {
    instructions: 'onboarding',
    register: (server: Parameters<typeof registerOnboarding>[0]) =>
      registerOnboarding(server, assent, { folder, home: folder }),
  }
  const caller = await connect('2025-11-25', assentTools({ folder, additional: [onboarding] }))
  const { tools } = await caller.client.listTools()
  await caller.close()
  const sections = tools.map(({ name, description = '', inputSchema }) => {
    const { properties = {}, required = [] } = inputSchema as {
      properties?: Record<string, Parameter>
      required?: readonly string[]
    }
    const rows = Object.entries(properties).map(([parameter, schema]) => [
      `\`${parameter}\``,
      required.includes(parameter) ? text.tools.required : text.tools.optional,
      cell(schema),
    ])
    return [`## ${name}`, escaped(description), table([[...text.tools.columns], ...rows])].join('\n\n')
  })
  return `${[text.tools.intro, ...sections, text.tools.after].join('\n\n')}\n`
}

function cell({ description, enum: values, type }: Parameter): string {
  const choices = values === undefined ? '' : ` ${values.map((value) => `\`${value}\``).join(', ')}.`
  return escaped(`${description ?? type ?? ''}${choices}`.trim())
}

/** Angle brackets would be read as HTML, and a bar or a line break would end the cell. */
function escaped(words: string): string {
  return words.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('\n', ' ')
}
