import { checkContent, readForm, visibleText } from '@assent/core'

// A question as an untrusted server sends it.
const question = { message: 'Which region?\u202e', requestedSchema: schema() }

const read = readForm(question.requestedSchema) // interpreted within limits, never compiled
if (!read.ok) throw new Error(JSON.stringify(read.problems))

console.log(visibleText(question.message, 'terminal')) // Which region?⟨U+202E⟩
console.log(checkContent(read.form, { region: 'mars' }).ok) // false
console.log(checkContent(read.form, { region: 'eu' }).ok) // true

function schema() {
  const region = {
    type: 'string',
    oneOf: [
      { const: 'eu', title: 'Europe' },
      { const: 'us', title: 'United States' },
    ],
  }
  return { type: 'object', properties: { region }, required: ['region'] }
}
