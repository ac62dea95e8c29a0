// A scripted person: says one thing to each question, in the order in which the questions come.
//
// They see a question as a client shows it and know nothing of handlers or revisions. What goes wrong with the script is
// kept until the call has ended, because a handler would take it for a person's no.

import { answerMeta, type FieldValue, isPlainObject } from '@assent/core'

/** A question as it reached the person. */
export interface ShownQuestion {
  readonly mode: 'form' | 'url'
  readonly message: string
  /** The fields of a form, by name, as the client was told them. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly url?: string
}

/** One line of the transcript. */
export interface Said {
  readonly question: ShownQuestion
  /** As it was sent; undefined when the person never answered. */
  readonly answer: unknown
}

/** A value where the question has one field, content by name where it has several. */
export type Accepted = FieldValue | Readonly<Record<string, FieldValue>>

export interface Expecting {
  /** Part of the words that this is the answer to; another question fails the test. */
  readonly asked?: string | RegExp
}

export interface Answers extends Expecting {
  /** What the person writes beside the answer. */
  readonly comment?: string
}

type Line = Answers &
  (
    | { readonly does: 'accepts'; readonly with: Accepted | undefined }
    | { readonly does: 'approves' | 'declines' | 'dismisses' | 'never answers' }
    | { readonly does: 'answers with'; readonly raw: unknown }
  )

export type Answering = { readonly answers: true; readonly answer: unknown } | { readonly answers: false }

export class ScriptedPerson {
  readonly #script: readonly Line[]
  readonly #said: Said[] = []
  readonly #wrong: string[] = []

  constructor(script: readonly Line[] = []) {
    this.#script = script
  }

  /** With a value where one thing is asked, with content by name where several are, with nothing to follow a link. */
  accepts(answer?: Accepted, settings: Answers = {}): ScriptedPerson {
    return this.#and({ does: 'accepts', with: answer, ...settings })
  }

  /** Says yes to an approval. Nothing less counts: accepting it without a choice is a no. */
  approves(settings: Answers = {}): ScriptedPerson {
    return this.#and({ does: 'approves', ...settings })
  }

  declines(settings: Answers = {}): ScriptedPerson {
    return this.#and({ does: 'declines', ...settings })
  }

  /** Makes no choice. */
  dismisses(settings: Answers = {}): ScriptedPerson {
    return this.#and({ does: 'dismisses', ...settings })
  }

  neverAnswers(expecting: Expecting = {}): ScriptedPerson {
    return this.#and({ does: 'never answers', ...expecting })
  }

  /** With anything at all, also with what no client should send. */
  answersWith(raw: unknown, expecting: Expecting = {}): ScriptedPerson {
    return this.#and({ does: 'answers with', raw, ...expecting })
  }

  /** What was asked and answered so far, in order. */
  get transcript(): readonly Said[] {
    return this.#said
  }

  /** Shows a question to the person. */
  see(question: ShownQuestion): Answering {
    const line = this.#script[this.#said.length]
    const answering = line === undefined ? this.#surprised(question) : this.#answerTo(question, line)
    this.#said.push({ question, answer: answering.answers ? answering.answer : undefined })
    return answering
  }

  /** Throws what went wrong with the script: a question it does not know, an answer nobody asked for. */
  check(): void {
    const unused = this.#script.slice(this.#said.length)
    const left = unused.length === 0 ? [] : [`These were never asked for: ${unused.map(inWords).join('; ')}.`]
    const problems = [...this.#wrong, ...left]
    if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${this.#story()}`)
  }

  #and(line: Line): ScriptedPerson {
    return new ScriptedPerson([...this.#script, line])
  }

  #surprised({ message }: ShownQuestion): Answering {
    const count = this.#script.length
    const known = count === 0 ? 'answers nothing' : `ends after ${count} answer${count === 1 ? '' : 's'}`
    this.#wrong.push(`The tool asked "${message}", but the script ${known}.`)
    return { answers: true, answer: { action: 'cancel' } }
  }

  #answerTo(question: ShownQuestion, line: Line): Answering {
    const { asked } = line
    const isExpected =
      typeof asked === 'string' ? question.message.includes(asked) : (asked?.test(question.message) ?? true)
    if (!isExpected) this.#wrong.push(`The script expected ${asked} next, but the tool asked "${question.message}".`)
    const comment = line.comment === undefined ? {} : { _meta: answerMeta({ comment: line.comment }) }
    switch (line.does) {
      case 'accepts':
        return { answers: true, answer: { action: 'accept', ...this.#contentFor(question, line.with), ...comment } }
      case 'approves':
        if (!Object.hasOwn(question.fields, 'decision')) this.#wrong.push(`"${question.message}" is no approval.`)
        return { answers: true, answer: { action: 'accept', content: { decision: 'approve' }, ...comment } }
      case 'declines':
        return { answers: true, answer: { action: 'decline', ...comment } }
      case 'dismisses':
        return { answers: true, answer: { action: 'cancel', ...comment } }
      case 'answers with':
        return { answers: true, answer: line.raw }
      case 'never answers':
        return { answers: false }
    }
  }

  #contentFor({ message, mode, fields }: ShownQuestion, given: Accepted | undefined): { content?: unknown } {
    if (given === undefined) return mode === 'url' ? {} : { content: {} }
    if (isPlainObject(given)) return { content: given }
    const [name, ...more] = Object.keys(fields)
    if (name !== undefined && more.length === 0) return { content: { [name]: given } }
    const has = name === undefined ? 'has nothing to fill in' : `has the fields ${[name, ...more].join(', ')}`
    this.#wrong.push(`The script accepts with ${JSON.stringify(given)}, but "${message}" ${has}.`)
    return { content: {} }
  }

  #story(): string {
    if (this.#said.length === 0) return 'Nothing was asked.'
    const lines = this.#said.map(({ question, answer }, index) => {
      const said = answer === undefined ? 'no answer' : JSON.stringify(answer)
      return `  ${index + 1}. "${question.message}" → ${said}`
    })
    return ['What was asked:', ...lines].join('\n')
  }
}

/** Somebody who says nothing yet: `scriptedPerson().accepts('eu').declines()`. Each call of a tool needs one of its own. */
export function scriptedPerson(): ScriptedPerson {
  return new ScriptedPerson()
}

function inWords(line: Line): string {
  switch (line.does) {
    case 'accepts':
      return line.with === undefined ? 'accepts' : `accepts ${JSON.stringify(line.with)}`
    case 'answers with':
      return `answers with ${JSON.stringify(line.raw)}`
    default:
      return line.does
  }
}
