// `@assent/sdk/testing`: a scripted person for the tests of tool authors.
// Separate from the package's index, so that servers do not load it.

export type { RegisteredToolLike, ToolHandler } from './register/call-handler.ts'
export { type CallToolOptions, type ClientRevision, callTool, type ToolCall } from './testing/call-tool.ts'
export {
  type AcceptedValue,
  type ExpectOptions,
  type TranscriptEntry,
  type ScriptedPerson,
  type ShownQuestion,
  scriptedPerson,
} from './testing/person.ts'
