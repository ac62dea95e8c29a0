// A scripted person: gives one answer to each question, in order.
//
// They see a question as a client shows it, independent of handlers and revisions. Problems of the script are
// collected until the call has ended, because a handler would treat an error as a person's no.

import { answerMeta, type FieldValue, isPlainObject } from '@assent/core'

/** A question as it reached the person. */
export interface ShownQuestion {
  readonly mode: 'form' | 'url'
  readonly message: string
  /** The fields of a form, by name, as the client received them. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly url?: string
}

/** One line of the transcript. */
export interface TranscriptEntry {
  readonly question: ShownQuestion
  /** As it was sent; undefined when the person never answered. */
  readonly answer: unknown
}

/** A value where the question has one field, content by name where it has several. */
export type AcceptedValue = FieldValue | Readonly<Record<string, FieldValue>>

export interface ExpectOptions {
  /** Part of the expected question text; another question fails the test. */
  readonly asked?: string | RegExp
}

export interface AnswerOptions extends ExpectOptions {
  /** The comment that the person writes with the answer. */
  readonly comment?: string
}

type ScriptLine = AnswerOptions &
  (
    | { readonly does: 'accepts'; readonly with: AcceptedValue | undefined }
    | { readonly does: 'approves' | 'declines' | 'dismisses' | 'never answers' }
    | { readonly does: 'answers with'; readonly raw: unknown }
  )

export type PersonReply = { readonly answers: true; readonly answer: unknown } | { readonly answers: false }

export class ScriptedPerson {
  readonly #script: readonly ScriptLine[]
  readonly #transcript: TranscriptEntry[] = []
  readonly #problems: string[] = []

  constructor(script: readonly ScriptLine[] = []) {
    this.#script = script
  }

  /** With a value where one thing is asked, with content by name where several are, with nothing to follow a link. */
  accepts(answer?: AcceptedValue, settings: AnswerOptions = {}): ScriptedPerson {
    return this.#then({ does: 'accepts', with: answer, ...settings })
  }

  /** Approves an approval. Accepting it without a choice is a no. */
  approves(settings: AnswerOptions = {}): ScriptedPerson {
    return this.#then({ does: 'approves', ...settings })
  }

  declines(settings: AnswerOptions = {}): ScriptedPerson {
    return this.#then({ does: 'declines', ...settings })
  }

  /** Makes no choice. */
  dismisses(settings: AnswerOptions = {}): ScriptedPerson {
    return this.#then({ does: 'dismisses', ...settings })
  }

  neverAnswers(expecting: ExpectOptions = {}): ScriptedPerson {
    return this.#then({ does: 'never answers', ...expecting })
  }

  /** With any value, also one that no client should send. */
  answersWith(raw: unknown, expecting: ExpectOptions = {}): ScriptedPerson {
    return this.#then({ does: 'answers with', raw, ...expecting })
  }

  /** The same script from its beginning, for another call. */
  again(): ScriptedPerson {
    return new ScriptedPerson(this.#script)
  }

  /** What was asked and answered so far, in order. */
  get transcript(): readonly TranscriptEntry[] {
    return this.#transcript
  }

  /** Shows a question to the person. */
  see(question: ShownQuestion): PersonReply {
    const line = this.#script[this.#transcript.length]
    const answering = line === undefined ? this.#unexpected(question) : this.#answerTo(question, line)
    this.#transcript.push({ question, answer: answering.answers ? answering.answer : undefined })
    return answering
  }

  /**
   * Throws the problems of the script: a question that it does not expect, an answer that was not asked for. `refusal` is how the
   * tool ended, if it refused.
   */
  check(refusal?: string): void {
    const unused = this.#script.slice(this.#transcript.length)
    const left = unused.length === 0 ? [] : [`These were never asked for: ${unused.map(lineText).join('; ')}.`]
    const problems = [...this.#problems, ...left]
    if (problems.length === 0) return
    // The reason why the tool did not ask as the script expected.
    const why = refusal === undefined ? '' : `${refusal}\n\n`
    throw new Error(`${why}${problems.join('\n')}\n${this.#transcriptText()}`)
  }

  #then(line: ScriptLine): ScriptedPerson {
    return new ScriptedPerson([...this.#script, line])
  }

  #unexpected({ message }: ShownQuestion): PersonReply {
    const count = this.#script.length
    const known = count === 0 ? 'answers nothing' : `ends after ${count} answer${count === 1 ? '' : 's'}`
    this.#problems.push(`The tool asked "${message}", but the script ${known}.`)
    return { answers: true, answer: { action: 'cancel' } }
  }

  #answerTo(question: ShownQuestion, line: ScriptLine): PersonReply {
    const { asked } = line
    const isExpected =
      typeof asked === 'string' ? question.message.includes(asked) : (asked?.test(question.message) ?? true)
    if (!isExpected) this.#problems.push(`The script expected ${asked} next, but the tool asked "${question.message}".`)
    const comment = line.comment === undefined ? {} : { _meta: answerMeta({ comment: line.comment }) }
    switch (line.does) {
      case 'accepts':
        return { answers: true, answer: { action: 'accept', ...this.#contentFor(question, line.with), ...comment } }
      case 'approves':
        if (!Object.hasOwn(question.fields, 'decision'))
          this.#problems.push(`"${question.message}" is not an approval.`)
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

  #contentFor({ message, mode, fields }: ShownQuestion, given: AcceptedValue | undefined): { content?: unknown } {
    if (given === undefined) return mode === 'url' ? {} : { content: {} }
    if (isPlainObject(given)) return { content: given }
    const [name, ...more] = Object.keys(fields)
    if (name !== undefined && more.length === 0) return { content: { [name]: given } }
    const has = name === undefined ? 'has nothing to fill in' : `has the fields ${[name, ...more].join(', ')}`
    this.#problems.push(`The script accepts with ${JSON.stringify(given)}, but "${message}" ${has}.`)
    return { content: {} }
  }

  #transcriptText(): string {
    if (this.#transcript.length === 0) return 'Nothing was asked.'
    const lines = this.#transcript.map(({ question, answer }, index) => {
      const given = answer === undefined ? 'no answer' : JSON.stringify(answer)
      return `  ${index + 1}. "${question.message}" → ${given}`
    })
    return ['What was asked:', ...lines].join('\n')
  }
}

/** A person without answers yet: `scriptedPerson().accepts('eu').declines()`. Each call of a tool needs a new one. */
export function scriptedPerson(): ScriptedPerson {
  return new ScriptedPerson()
}

function lineText(line: ScriptLine): string {
  switch (line.does) {
    case 'accepts':
      return line.with === undefined ? 'accepts' : `accepts ${JSON.stringify(line.with)}`
    case 'answers with':
      return `answers with ${JSON.stringify(line.raw)}`
    default:
      return line.does
  }
}
