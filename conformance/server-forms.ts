// The forms that the official suite requires, field by field.
//
// They contain every kind of field and every shape of choice of the protocol, including the deprecated one, so that a
// relay that changes a schema is detected.
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
