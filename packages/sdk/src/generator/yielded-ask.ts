// The asks that a generator yields: each describes a call of `ask`, which the driver performs.
//
// Each has the name and the arguments of the method of `ask` that it calls, so the questions are defined only in
// ask/describe.ts.

import type { ChoiceOptions } from '@assent/core'
import type { AnswerWithComment, ApproveOptions, Elicited } from '../ask/ask.ts'
import type { NumberOptions, Suggestion, TextOptions } from '../ask/describe.ts'
import type { AnswersOf, FormSource } from '../ask/form-source.ts'
import type { JsonMembers } from '../ask/json-members.ts'
import type { AskOptions, AskOptionsWithFallback, ConfirmOptions } from '../ask/options.ts'
import type { Interaction } from '../interaction.ts'
import { type Perform, performOf, type Yielded, yielded } from './yielded.ts'

export interface YieldedAsk {
  text(question: string, options?: AskOptionsWithFallback<string> & TextOptions & Suggestion<string>): Yielded<string>
  /** A password, key or token. It is never sent in a form. */
  secret(question: string, options?: AskOptions): Yielded<string>
  /** False when the person says no. */
  confirm(question: string, options?: ConfirmOptions & Suggestion<boolean>): Yielded<boolean>
  /** One of several. */
  choose<const V extends string>(
    question: string,
    choices: ChoiceOptions<V>,
    options?: AskOptionsWithFallback<NoInfer<V>> & Suggestion<NoInfer<V>>,
  ): Yielded<V>
  /** Any number of several. */
  chooseMany<const V extends string>(
    question: string,
    choices: ChoiceOptions<V>,
    options?: AskOptionsWithFallback<readonly NoInfer<V>[]> &
      Suggestion<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number },
  ): Yielded<readonly V[]>
  number(
    question: string,
    options?: AskOptionsWithFallback<number> & NumberOptions & Suggestion<number>,
  ): Yielded<number>
  /** A day, as `2026-07-28`. */
  date(question: string, options?: AskOptionsWithFallback<string> & Suggestion<string>): Yielded<string>
  /** Several fields at once. */
  form<const A extends FormSource>(
    question: string,
    asked: A,
    options?: AskOptionsWithFallback<AnswersOf<A>>,
  ): Yielded<AnswersOf<A>>
  /** A form, and the plain answer: its action, with the content of an accept. */
  elicit(question: string, schema: FormSource, options?: AskOptions): Yielded<Elicited>
  /** Continues when the person agreed to open the link. */
  url(question: string, link: string, options?: AskOptions): Yielded<void>
  /** The name of a file: a path or an address, never its contents. */
  file(question: string, options?: AskOptionsWithFallback<string> & Suggestion<string>): Yielded<string>
  /** Continues only after a person approved exactly this. */
  approve<Arguments extends JsonMembers<Arguments>>(
    title: string,
    action: Arguments,
    options?: ApproveOptions,
  ): Yielded<Readonly<Arguments>>
  /** The answer together with the person's comment: `yield* ask.withComment(ask.confirm('Deploy?'))`. */
  withComment<Value>(asked: Yielded<Value>): Yielded<AnswerWithComment<Value>>
  /** Several questions in one round. */
  all<const A extends Readonly<Record<string, Yielded>>>(
    asks: A,
  ): Yielded<{ -readonly [N in keyof A]: A[N] extends Yielded<infer Value> ? Value : never }>
}

export const yieldedAsk: YieldedAsk = {
  text: (question, options) => yielded(({ ask }) => ask.text(question, options)),
  secret: (question, options) => yielded(({ ask }) => ask.secret(question, options)),
  confirm: (question, options) => yielded(({ ask }) => ask.confirm(question, options)),
  choose: (question, choices, options) => yielded(({ ask }) => ask.choose(question, choices, options)),
  chooseMany: (question, choices, options) => yielded(({ ask }) => ask.chooseMany(question, choices, options)),
  number: (question, options) => yielded(({ ask }) => ask.number(question, options)),
  date: (question, options) => yielded(({ ask }) => ask.date(question, options)),
  form: (question, asked, options) => yielded(({ ask }) => ask.form(question, asked, options)),
  elicit: (question, schema, options) => yielded(({ ask }) => ask.elicit(question, schema, options)),
  url: (question, link, options) => yielded(({ ask }) => ask.url(question, link, options)),
  file: (question, options) => yielded(({ ask }) => ask.file(question, options)),
  approve: (title, action, options) => yielded(({ ask }) => ask.approve(title, action, options)),
  withComment: (asked) => yielded((interaction) => interaction.ask.withComment(started(asked, interaction))),
  all: (asks) => yielded((interaction) => allOf(asks, interaction)),
}

function started<Value>(asked: Yielded<Value>, interaction: Interaction): Promise<Value> {
  const perform = performOf(asked) as Perform<Value> | undefined
  // Anything else is rejected by `ask.withComment`.
  return perform?.(interaction) ?? Promise.resolve(asked as never)
}

type AllAnswers<A> = { -readonly [N in keyof A]: A[N] extends Yielded<infer Value> ? Value : never }

async function allOf<A extends Readonly<Record<string, Yielded>>>(
  asks: A,
  interaction: Interaction,
): Promise<AllAnswers<A>> {
  const begun = Object.entries(asks).map(
    ([name, one]) => [name, Promise.resolve(performOf(one)?.(interaction))] as const,
  )
  return (await interaction.ask.all(Object.fromEntries(begun))) as AllAnswers<A>
}
