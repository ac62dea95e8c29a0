// `@assent/sdk/testing`: a scripted person for the tests of those who write tools.
// Apart from the package's index, because nothing of it belongs into a server that runs.

export { type CallToolOptions, callTool, type ToolCall } from './testing/call-tool.ts'
export type { ToolHandler } from './testing/client.ts'
export {
  type Accepted,
  type Expecting,
  type Said,
  type ScriptedPerson,
  type ShownQuestion,
  scriptedPerson,
} from './testing/person.ts'
