// What a client's model reads about the tool before any tool is called. Imports only texts, so that a server can send it at once.

import { toolText } from './text/tool.ts'

export const onboardingInstructions: string = toolText.instructions
