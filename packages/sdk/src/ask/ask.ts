// `ask`: what a handler asks with. Every method describes a question and puts it through the run.

import { AssentError, type JsonObject, type Options } from '@assent/core'
import type { Run } from '../run/run.ts'
import type { Description, NumberSettings, Suggests, TextSettings } from './describe.ts'
import * as describe from './describe.ts'
import { commentIn, worthOf } from './ending.ts'
import type { AnswersOf, Asked } from './form-of.ts'
import type { Harmless, Plain } from './how.ts'

export interface Ask {
  /** One of several: `ask.choose('Which region?', { eu: 'Europe', us: 'United States' })`. */
  choose<const V extends string>(
    question: string,
    options: Options<V>,
    settings?: Harmless<NoInfer<V>> & Suggests<NoInfer<V>>,
  ): Promise<V>
  /** Any number of several. */
  chooseMany<const V extends string>(
    question: string,
    options: Options<V>,
    settings?: Harmless<readonly NoInfer<V>[]> &
      Suggests<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number },
  ): Promise<readonly V[]>
  text(question: string, settings?: Harmless<string> & TextSettings & Suggests<string>): Promise<string>
  number(question: string, settings?: Harmless<number> & NumberSettings & Suggests<number>): Promise<number>
  /** False when the person says no. */
  confirm(question: string, settings?: Harmless<boolean> & Suggests<boolean>): Promise<boolean>
  /** A day, as `2026-07-28`. */
  date(question: string, settings?: Harmless<string> & Suggests<string>): Promise<string>
  /** The name of a file: a path or an address, never its contents. */
  file(question: string, settings?: Harmless<string> & Suggests<string>): Promise<string>
  /** Several fields at once. */
  form<const A extends Asked>(question: string, asked: A, settings?: Harmless<AnswersOf<A>>): Promise<AnswersOf<A>>
  /** Resolves when the person agreed to open the link; what they did there is not known. */
  url(question: string, link: string, settings?: Plain): Promise<void>
  /** A password, key or token, by a page of ours. */
  secret(question: string, settings?: Plain): Promise<string>
  /** Goes on only after a person approved exactly this. To bind it to what runs, use `gate`. */
  approve(title: string, action: JsonObject, settings?: Plain & { readonly claim?: string }): Promise<void>
  /**
   * The answer together with what the person wrote beside it:
   * `const { value, comment } = await ask.withComment(ask.confirm('Deploy?'))`. Takes what another method of `ask`
   * returned. After a decline or a dismissal that throws, the comment is on the error instead.
   */
  withComment<Value>(asked: Promise<Value>): Promise<Commented<Value>>
  /** Several questions in one round: `ask.all({ name: ask.text('…'), size: ask.number('…') })`. */
  all<const A extends Readonly<Record<string, Promise<unknown>>>>(
    asks: A,
  ): Promise<{ -readonly [N in keyof A]: Awaited<A[N]> }>
}

export interface Commented<Value> {
  readonly value: Value
  /** Absent when the person wrote nothing, or where they answered cannot carry a comment. */
  readonly comment?: string
}

/** What `ask` needs besides the run. */
export interface Asking {
  readonly run: Run
  readonly secret: (description: Description<string>) => Promise<string>
  readonly approval: (title: string, action: JsonObject, settings: Plain & { claim?: string }) => Description<void>
}

export function askOf({ run, secret, approval }: Asking): Ask {
  const answered = new WeakMap<Promise<unknown>, Promise<Commented<unknown>>>()
  const kept = <Value>(commented: Promise<Commented<Value>>): Promise<Value> => {
    const value = commented.then((answer) => answer.value)
    // A handler that does not wait for its question ends before it is answered. The question is then withdrawn; that
    // must not end the whole process as an unhandled rejection.
    value.catch(() => undefined)
    answered.set(value, commented)
    return value
  }
  const put = <Value>(describing: () => Description<Value>): Promise<Value> => {
    const asking = async () => {
      const description = describing()
      const { ending } = await run.put(description)
      const comment = commentIn(ending)
      return { value: await worthOf(description, ending), ...(comment === undefined ? {} : { comment }) }
    }
    return kept(asking())
  }
  return {
    choose: (question, options, settings) => put(() => describe.choose(question, options, settings)),
    chooseMany: (question, options, settings) => put(() => describe.chooseMany(question, options, settings)),
    text: (question, settings) => put(() => describe.text(question, settings)),
    number: (question, settings) => put(() => describe.number(question, settings)),
    confirm: (question, settings) => put(() => describe.confirm(question, settings)),
    date: (question, settings) => put(() => describe.date(question, settings)),
    file: (question, settings) => put(() => describe.file(question, settings)),
    form: (question, asked, settings) => put(() => describe.fields(question, asked, settings)),
    url: (question, link, settings) => put(() => describe.url(question, link, settings)),
    secret: (question, settings) =>
      kept((async () => ({ value: await secret(describe.secret(question, settings)) }))()),
    approve: (title, action, settings = {}) => put(() => approval(title, action, settings)),
    withComment: <Value>(asked: Promise<Value>) => {
      const commented = answered.get(asked) ?? Promise.reject(notAnAsk())
      commented.catch(() => undefined)
      // What is kept under this promise resolves with the same value.
      return commented as Promise<Commented<Value>>
    },
    all: async (asks) => {
      const names = Object.keys(asks)
      const values = await Promise.all(Object.values(asks))
      // Entries of an object and its values come in the same order.
      return Object.fromEntries(names.map((name, index) => [name, values[index]])) as never
    },
  }
}

function notAnAsk(): AssentError {
  return new AssentError(
    'misconfigured',
    'ask.withComment takes the promise that a method of ask returned: ask.withComment(ask.confirm("…")).',
  )
}
