// A form: what a person is asked to fill in, the same whichever revision carries it.
//
// Mostly types, independent of schemas and protocol: read.ts and build.ts make forms, encode.ts writes them as schemas,
// check.ts checks the answers. A part that was not given is absent, never undefined, so that forms compare by value.

export const textFormats = ['email', 'uri', 'date', 'date-time'] as const
export type TextFormat = (typeof textFormats)[number]

interface Common {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
  /** The asker also accepts null. A required nullable field may be left empty: its answer is then null. */
  readonly nullable?: true
}

/** The rules for a text. */
export interface TextRules {
  readonly format?: TextFormat
  /** Both in Unicode code points, as JSON Schema counts them: an emoji is one, not two. */
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression that must match somewhere in the text. See patterns.ts for the engine. */
  readonly pattern?: string
}

export interface TextField extends Common, TextRules {
  readonly kind: 'text'
  readonly default?: string
}

export interface NumberField extends Common {
  readonly kind: 'number'
  readonly integer: boolean
  readonly min?: number
  readonly max?: number
  /** Exclusive bounds. Never beside the inclusive bound of the same side, and never on whole numbers. */
  readonly above?: number
  readonly below?: number
  readonly default?: number
}

export interface BooleanField extends Common {
  readonly kind: 'boolean'
  readonly default?: boolean
}

/** A label is present only when it differs from the value. */
export interface Option<Value extends string = string> {
  readonly value: Value
  readonly label?: string
}

export interface ChoiceField extends Common {
  readonly kind: 'choice'
  readonly options: readonly Option[]
  readonly default?: string
}

export interface ChoicesField extends Common {
  readonly kind: 'choices'
  readonly options: readonly Option[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: readonly string[]
}

/** Any number of texts that the person writes. */
export interface ListField extends Common {
  readonly kind: 'list'
  /** The rules for each entry. */
  readonly item: TextRules
  readonly minItems?: number
  readonly maxItems?: number
  readonly unique?: true
  readonly default?: readonly string[]
}

export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField | ListField

/** A field without its name. */
export type UnnamedField<F extends Field = Field> = F extends Field ? Omit<F, 'name'> : never

export interface Form {
  readonly fields: readonly Field[]
}

export type FieldValue = string | number | boolean | readonly string[]
/** Null only where the field is nullable. */
export type Content = Readonly<Record<string, FieldValue | null>>

/** Whether a person has to fill it in. */
export function mustBeFilled({ required, nullable }: Pick<Field, 'required' | 'nullable'>): boolean {
  return required && nullable !== true
}

// Carries the content type through the type checker; no such property exists when the program runs.
declare const contentType: unique symbol

/** A form whose content is known to the type checker. */
export interface FormOf<C> extends Form {
  readonly [contentType]?: C
}

/** The type of an answer to this form; `Content` when the form was read rather than built. */
export type ContentOf<F extends Form> = F extends FormOf<infer C> ? (unknown extends C ? Content : C) : never
