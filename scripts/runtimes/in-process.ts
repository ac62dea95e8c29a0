// Runs the tool in this runtime, on every revision, with a scripted person. Started by Node, Bun and Deno.
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { tool } from './tool.ts'

const person = scriptedPerson().accepts('Ada').approves()
const { text } = await callTool(tool, undefined, { person, everyRevision: true, replayAlways: true })
console.log(text)
