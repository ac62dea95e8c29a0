// The forms the official suite wants to see on a client's screen, field by field.
//
// They hold every kind of field and every shape of choice the protocol has, the deprecated one included, so a relay
// that rewrites a schema on the way is caught here.
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'

type FormSchema = ElicitRequestFormParams['requestedSchema']

/** SEP-1330: the five shapes of a choice. */
export const ENUMS_FORM: FormSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
  required: [],
}

function titled(noun: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((ordinal, index) => ({
    const: `value${index + 1}`,
    title: `${ordinal} ${noun}`,
  }))
}
