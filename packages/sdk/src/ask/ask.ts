// The `ask` object of a handler. Every method describes a question and asks it through the run.

import { AssentError, type ChoiceOptions, type Content, compact, type JsonObject } from '@assent/core'
import { askUntilAccepted } from './ask-again.ts'
import { type HandedOut, resultOf } from './author-promises.ts'
import type { Description, NumberOptions, Suggestion, TextOptions } from './describe.ts'
import * as describe from './describe.ts'
import { type Editable, editedArguments } from './editable.ts'
import { answerValue, commentOf } from './ending.ts'
import type { AnswersOf, FormSource } from './form-source.ts'
import type { JsonMembers } from './json-members.ts'
import { askLabel } from './label.ts'
import type { AskOptions, AskOptionsWithFallback, ConfirmOptions } from './options.ts'
import type { Run } from './run.ts'
import type { ToolInput } from './tool-input.ts'

export interface Ask {
  /** One of several: `ask.choose('Which region?', { eu: 'Europe', us: 'United States' })`. */
  choose<const V extends string>(
    question: string,
    choices: ChoiceOptions<V>,
    options?: AskOptionsWithFallback<NoInfer<V>> & Suggestion<NoInfer<V>>,
  ): Promise<V>
  /** Any number of several. */
  chooseMany<const V extends string>(
    question: string,
    choices: ChoiceOptions<V>,
    options?: AskOptionsWithFallback<readonly NoInfer<V>[]> &
      Suggestion<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number },
  ): Promise<readonly V[]>
  text(question: string, options?: AskOptionsWithFallback<string> & TextOptions & Suggestion<string>): Promise<string>
  number(
    question: string,
    options?: AskOptionsWithFallback<number> & NumberOptions & Suggestion<number>,
  ): Promise<number>
  /** False when the person says no. */
  confirm(question: string, options?: ConfirmOptions & Suggestion<boolean>): Promise<boolean>
  /** A day, as `2026-07-28`. */
  date(question: string, options?: AskOptionsWithFallback<string> & Suggestion<string>): Promise<string>
  /** The name of a file: a path or an address, never its contents. */
  file(question: string, options?: AskOptionsWithFallback<string> & Suggestion<string>): Promise<string>
  /** Several fields at once. */
  form<const A extends FormSource>(
    question: string,
    asked: A,
    options?: AskOptionsWithFallback<AnswersOf<A>>,
  ): Promise<AnswersOf<A>>
  /**
   * A form, and the plain answer: `{ action: 'accept', content }`, or that the person declined or dismissed it. It is an error
   * only if no person answered. The schema is a JSON Schema or anything that `ask.form` takes; `content` is what fits the form.
   */
  elicit(question: string, schema: FormSource, options?: AskOptions): Promise<Elicited>
  /** Resolves when the person agreed to open the link; what they did there is not known. */
  url(question: string, link: string, options?: AskOptions): Promise<void>
  /** A password, key or token, entered on an Assent page. */
  secret(question: string, options?: AskOptions): Promise<string>
  /**
   * Resolves only after a person approved exactly this, with what they approved: a frozen copy. With `editable` they may
   * change the arguments first. To bind it to what runs, use `gate`.
   */
  approve<Arguments extends JsonMembers<Arguments>>(
    title: string,
    action: Arguments,
    options?: ApproveOptions,
  ): Promise<Readonly<Arguments>>
  /**
   * The answer together with the person's comment:
   * `const { value, comment } = await ask.withComment(ask.confirm('Deploy?'))`. Takes the promise that another
   * method of `ask` returned. After a decline or a dismissal that throws, the comment is on the error instead.
   */
  withComment<Value>(asked: Promise<Value>): Promise<AnswerWithComment<Value>>
  /** Several questions in one round: `ask.all({ name: ask.text('…'), size: ask.number('…') })`. */
  all<const A extends Readonly<Record<string, Promise<unknown>>>>(
    asks: A,
  ): Promise<{ -readonly [N in keyof A]: Awaited<A[N]> }>
}

export interface ApproveOptions extends AskOptions {
  /** The server's own description of it; shown apart. */
  readonly claim?: string
  /**
   * Arguments that the person may change before they approve: their names, or a form. Those that the tool got from its caller
   * also have to fit its input schema.
   */
  readonly editable?: Editable
}

/** What the person did: accept with content, decline or cancel. */
export type Elicited =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

export interface AnswerWithComment<Value> {
  readonly value: Value
  /** Absent when the person wrote nothing, or when their client cannot send a comment. */
  readonly comment?: string
}

/** What `ask` needs besides the run. */
export interface AskDependencies {
  readonly run: Run
  readonly input: ToolInput
  readonly secret: (description: Description<string>) => Promise<string>
  readonly approval: (
    title: string,
    action: object,
    options: AskOptions & { claim?: string },
  ) => Description<JsonObject>
}

export function createAsk({ run, input, secret, approval }: AskDependencies): Ask {
  const answered = new WeakMap<Promise<unknown>, Promise<AnswerWithComment<unknown>>>()
  const { promises } = run
  const track = <Value>(asking: (entry: HandedOut) => Promise<AnswerWithComment<Value>>): Promise<Value> => {
    let commented: Promise<AnswerWithComment<Value>> | undefined
    const value = promises.guard({ kind: 'ask', label: '' }, (entry) => {
      commented = asking(entry)
      return commented.then((answer) => answer.value)
    })
    if (commented !== undefined) answered.set(value, commented)
    return value
  }
  const putNow = async <Value>(description: Description<Value>, entry: HandedOut) => {
    entry.label = askLabel(description)
    const { value, ending } = await askUntilAccepted(description, async (asked) => (await run.put(asked)).ending)
    return { value, ...compact({ comment: commentOf(ending) }) }
  }
  const put = <Value>(describing: () => Description<Value>): Promise<Value> => {
    return track(async (entry) => putNow(describing(), entry))
  }
  return {
    choose: (question, choices, options) => put(() => describe.choose(question, choices, options)),
    chooseMany: (question, choices, options) => put(() => describe.chooseMany(question, choices, options)),
    text: (question, options) => put(() => describe.text(question, options)),
    number: (question, options) => put(() => describe.number(question, options)),
    confirm: (question, options) => put(() => describe.confirm(question, options)),
    date: (question, options) => put(() => describe.date(question, options)),
    file: (question, options) => put(() => describe.file(question, options)),
    form: (question, asked, options) => put(() => describe.fields(question, asked, options)),
    elicit: (question, schema, options) =>
      track(async (entry) => {
        const description = describe.elicit(question, schema, options)
        entry.label = askLabel(description)
        return elicited(run, description)
      }),
    url: (question, link, options) => put(() => describe.url(question, link, options)),
    secret: (question, options) =>
      track(async (entry) => {
        const description = describe.secret(question, options)
        entry.label = askLabel(description)
        return { value: await secret(description) }
      }),
    approve: <Arguments extends JsonMembers<Arguments>>(
      title: string,
      action: Arguments,
      options: ApproveOptions = {},
    ) =>
      // The approved arguments are a copy of the given ones, as the person left them.
      track(async (entry) => {
        entry.kind = 'approval'
        entry.label = title
        const { editable, ...asked } = options
        if (editable === undefined) return putNow(approval(title, action, asked), entry)
        const change = { title, arguments: action, editable, options: asked, input }
        const edited = await editedArguments(change, async (edit) => (await run.put(edit)).ending)
        return putNow(approval(title, edited, asked), entry)
      }) as unknown as Promise<Readonly<Arguments>>,
    withComment: <Value>(asked: Promise<Value>) => {
      // The entry tracked for this promise resolves with the same value.
      const commented = (answered.get(asked) ?? Promise.reject(notAnAsk())) as Promise<AnswerWithComment<Value>>
      return promises.guardAround('ask.withComment', [asked], () => commented)
    },
    all: <A extends Readonly<Record<string, Promise<unknown>>>>(asks: A) =>
      promises.guardAround('ask.all', Object.values(asks), async () => {
        const names = Object.keys(asks)
        const values = await Promise.all(Object.values(asks).map(resultOf))
        // Entries of an object and its values come in the same order.
        return Object.fromEntries(names.map((name, index) => [name, values[index]])) as {
          -readonly [N in keyof A]: Awaited<A[N]>
        }
      }),
  }
}

async function elicited(run: Run, description: Description<Content>): Promise<AnswerWithComment<Elicited>> {
  const { ending } = await run.put(description)
  const comment = compact({ comment: commentOf(ending) })
  if (ending.kind === 'declined') return { value: { action: 'decline' }, ...comment }
  if (ending.kind === 'cancelled' && ending.endOfCall === undefined) return { value: { action: 'cancel' }, ...comment }
  return { value: { action: 'accept', content: await answerValue(description, ending) }, ...comment }
}

function notAnAsk(): AssentError {
  return new AssentError(
    'misconfigured',
    'ask.withComment takes the promise that a method of ask returned: ask.withComment(ask.confirm("…")).',
  )
}
