// A gate whose handler waits for a person who may do something before they answer.

import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import type { InteractiveOptions } from '../interactive.ts'
import { accept } from '../rounds.suite.ts'
import type { AssentSettings } from '../server/server-context.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'

export const definition = { name: 'deploy', description: 'Deploys', inputSchema: { type: 'object' } }
/** The approval as a client sends it; our own surfaces send an accept without content. */
export const approvingAnswer = accept({ decision: 'approve' })
export const options: InteractiveOptions = { name: 'deploy', definition }

export async function runLiveGate(
  handler: (interaction: Interaction) => Promise<string>,
  person: () => unknown,
  settings: AssentSettings = {},
  named: InteractiveOptions = options,
): Promise<{ text: string; code: string | undefined }> {
  const surface: Surface = {
    name: 'client',
    refuses: () => undefined,
    put: async () => ({ kind: 'answered', answer: await person() }),
  }
  const wrapped = createAssent({ name: 'ops', ...settings }).interactive<[], unknown, unknown>(handler, named)
  const result = (await wrapped(onSurface(surface))) as {
    content: [{ text: string }]
    _meta?: Record<string, { code: string }>
  }
  return { text: result.content[0].text, code: result._meta?.['assent/refusal']?.code }
}
