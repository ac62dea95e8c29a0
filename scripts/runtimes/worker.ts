// The tool in a Cloudflare Worker.
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { tool } from './tool.ts'

// biome-ignore lint/style/noDefaultExport: a Worker is a default export
export default {
  fetch: async (): Promise<Response> => {
    const person = scriptedPerson().accepts('Ada').approves()
    const { text } = await callTool(tool, undefined, { person, everyRevision: true, replayAlways: true })
    return new Response(text)
  },
}
